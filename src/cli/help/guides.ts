// Guides: step-by-step topics of help, also sections of the manual.

/** Guides by topic. A guide with the name of a command follows the page of that command. */
export const guides: Readonly<Record<string, string>> = {
  profiles: `Profiles

A profile stores a service under a name: its address, its name in paths, the user, and the certificates to trust.

  svcctl profiles add eu --url https://eu.example.org:9088 --user ann --cacert ca.pem
  svcctl profiles add prod --url https://prod.example.org --protected
  svcctl profiles use eu                  make it the default
  svcctl tasks list --profile prod        use another one for this command
  svcctl tasks list --profile eu,prod     one list of several services
  svcctl profiles test prod               explain what is wrong with a connection
  svcctl profiles show --explain          show the source of each setting

In a protected profile, every change asks for the name of the changed resource (or --confirm=NAME) instead of a yes.
Passwords are kept in the system's keychain, or else in the profile file, which only its owner can read.
PS1='$(svcctl profiles prompt) \\$ ' shows the profile in use.
`,

  sql: `SQL from a shell

  svcctl sql 'SELECT 1'                                  an argument, or -f FILE, or stdin
  svcctl sql --param VARCHAR:Oslo 'SELECT ... WHERE city = ?'
  svcctl sql --context timeout=60000 -f report.sql -o csv > report.csv
  svcctl sql                                             on a terminal: a shell; \\? lists its commands
  svcctl sql explain 'SELECT ...'                        show the plan
  svcctl sql --control-plane 'SELECT ... FROM tasks'     query the lists of svcctl as tables; --profiles eu,us joins services

Rows are printed as they arrive, so a result may be larger than memory. Ctrl-C cancels the query on the service.
An interrupted result ends with exit code 1. Run long queries as statements:

  svcctl statements submit -f large.sql --wait
  svcctl statements results ID -o jsonl
`,

  ingestion: `Ingestion

From files on this machine or of the service; format and columns are detected:
  svcctl ingest files edits.json.gz --into wikipedia --print-sql
  svcctl ingest files edits.json.gz --into wikipedia --wait=queryable

By SQL, INSERT or REPLACE, as a task:
  svcctl ingest sql --wait 'REPLACE INTO wikipedia OVERWRITE ALL SELECT ... PARTITIONED BY DAY'

By a native specification:
  svcctl tasks sample spec.json           parse a few rows and show them
  svcctl tasks submit spec.json --wait

Both read files, URLs and S3 objects: JSON, CSV, TSV, lines, Parquet and Avro. "svcctl help limits" lists what is not supported. Properties
of the service configure S3 and the paths of exports:
  svc.s3.endpoint.url=https://s3.example.org
  svc.s3.accessKey=...                    with svc.s3.secretKey; or svc.s3.fileSessionCredentials=FILE
  svc.export.storage.s3.allowedExportPaths=["s3://bucket/exports/"]
  svcctl ingest sql --wait "INSERT INTO EXTERN(s3(bucket => 'bucket', prefix => 'exports/today')) AS CSV SELECT ..."

From a stream:
  svcctl supervisors apply stream.json
  svcctl supervisors status edits --watch

--wait ends when the task has ended, --wait=queryable when its rows can be queried. Ctrl-C stops waiting, not the task, and prints how to
continue. Exit codes: 1 the task failed, 7 --max-wait is over, 8 it is still running.
  svcctl tasks report ID                  stages, rows and errors
  svcctl tasks log ID --follow
  svcctl help fault CODE                  explain a fault and its remedy
`,

  jdbc: `JDBC

JDBC clients connect to svcctl serve and to Apache Druid with the driver of Apache Calcite Avatica: jar
org.apache.calcite.avatica:avatica (tested with 1.25.0), class org.apache.calcite.avatica.remote.Driver. Connection strings:

  jdbc:avatica:remote:url=http://127.0.0.1:8888/svc/v2/sql/avatica-protobuf/;serialization=protobuf;transparent_reconnection=true
  jdbc:avatica:remote:url=http://127.0.0.1:8888/svc/v2/sql/avatica/;transparent_reconnection=true

With --service druid the path begins with /druid instead of /svc; clients with built-in support for Druid require it.

  DBeaver     New connection, Apache Druid: host and port, with --service druid; else a new driver in the Driver Manager, with the jar and the class
  DataGrip    Data sources, Drivers, +: the jar, the class, and the connection string as URL template
  Tableau     To a server, Other Databases (JDBC): the connection string, dialect SQL92; put the jar into Tableau's driver folder
  Metabase    Druid JDBC: host and port, with --service druid
  sqlline     java -cp ... sqlline.SqlLine -d org.apache.calcite.avatica.remote.Driver -u 'jdbc:avatica:remote:url=...' -n USER -p PASSWORD

Where the service has users, set user and password; the driver sends them in the body when it connects. Other connection properties
become the context of its queries, except names of secrets:

  ...;sqlTimeZone=Europe/Oslo;timeout=60000;user=ann;password=...

Permissions, limits, ids and cancellation are the same as for SQL over HTTP. Connections are read-only: no INSERT, no batches; commit and rollback do nothing. A request
has at most 2 MB. Properties of the service:

  PREFIX.sql.avatica.enable=true                       false: no JDBC
  PREFIX.sql.avatica.maxConnections=25                 more are refused, unless a connection without statements can be closed
  PREFIX.sql.avatica.maxStatementsPerConnection=4      more are refused
  PREFIX.sql.avatica.connectionIdleTimeout=PT5M        unused connections are closed, and their queries end
  PREFIX.sql.avatica.minRowsPerFrame=100               minimum and maximum rows of a frame; -1 as maximum is 100,000
  PREFIX.sql.avatica.maxRowsPerFrame=5000
  PREFIX.sql.avatica.fetchTimeoutMs=5000               after this time the driver gets an empty frame and asks again
`,

  retention: `Retention

Rules define which segments are kept, where, and for how long. The first rule that matches a segment applies; the default rules follow those of
the datasource. Load rules match segments that overlap their time, drop rules match segments within it. A segment without a matching rule stays where it is.

  svcctl rules list
  svcctl rules add wiki --type loadByPeriod --period P1Y --at 1 --comment 'keep a year'
  svcctl rules edit wiki                  edit the rules; they are checked before they are sent
  svcctl rules preview wiki --at now,+1y  show their effect on current segments, now and later
  svcctl rules history wiki
  svcctl undo                             undo the last change, and restore the segments that it dropped

A segment that a drop rule matches becomes unused: queries do not read it, its data stays. A wider rule keeps segments that are in use; it does not
restore unused segments. Restore them with mark-used, or with undo of the change that dropped them. Only kill deletes data:
  svcctl segments list --datasource wiki --unused
  svcctl segments mark-used wiki --interval 2024-01-01/2024-02-01
  svcctl segments kill wiki --interval 2024-01-01/2024-02-01 --confirm=wiki
`,

  'dynamic-config': `Dynamic configuration

Settings that can change while a cluster runs: svcctl config coordinator|overlord|brokers get, set, edit, history, rollback.
svcctl serve stores and returns all of them. With one Historical and one worker, some have no effect.

Settings of the Coordinator with an effect in svcctl serve:
  pauseCoordination              no duty runs: no drop rule, no compaction, no kill; published segments are still served
  millisToWaitBeforeDeleting     time after a start during which overshadowed segments stay used
  decommissioningNodes           a listed Historical keeps its segments and gets no new ones: new ones are unavailable until it is removed from the list
  killDataSourceWhitelist, killTaskSlotRatio, maxKillTaskSlots
                                 datasources and share of slots for kill tasks, where PREFIX.coordinator.kill.on is true
Settings without an effect, because one Historical moves, balances, copies and clones nothing and loads segments at once:
  maxSegmentsToMove, decommissioningMaxPercentOfMaxSegmentsToMove, percentOfSegmentsToConsiderPerMove, useBatchedSegmentSampler,
  balancerComputeThreads, emitBalancingStats, smartSegmentLoading, useRoundRobinSegmentAssignment, maxSegmentsInNodeLoadingQueue,
  replicantLifetime, replicationThrottleLimit, replicateAfterLoadTimeout, maxNonPrimaryReplicantsToLoad, turboLoadingNodes, cloneServers,
  historicalTierAliases, killPendingSegmentsSkipList, mergeBytesLimit, mergeSegmentsLimit, debugDimensions

Settings of the Overlord:
  selectStrategy                 affinityConfig, workerCategorySpec and taskLimits restrict the tasks of the worker; other tasks wait, with the reason in their logs.
                                 equalDistribution, fillCapacity and javascript make no difference with one worker
  autoScaler                     no effect

Settings of the Brokers: queryContext and queryBlocklist take effect.
Compaction uses compactionTaskSlotRatio, maxCompactionTaskSlots and compactionPolicy with the types newestSegmentFirst, fixedIntervalOrder
and mostFragmentedFirst; a policy that selects a part of a time chunk compacts the whole chunk.
`,

  security: `Security

Authentication: --user, with a password from --password-stdin, --password-file, --password-command, SVCCTL_PASSWORD or a prompt; never as the value
of a flag. svcctl login stores the password for the profile, svcctl whoami shows your roles and permissions.

Authorization, where the service has users (HTTP basic):
  svcctl roles create readers
  svcctl permissions grant readers --type DATASOURCE --name 'wiki.*' --action READ
  svcctl users create ann --role readers
  svcctl group-mappings create staff --pattern 'CN=staff,OU=groups,DC=example,DC=org' --role readers
Names in permissions are regular expressions that must match the whole name.

TLS: --cacert trusts a certificate, --cert and --key present a client certificate, --insecure accepts any certificate and warns.
svcctl serve uses TLS with --tls-cert and --tls-key (PEM, at all ports), or with the properties of a cluster in the file of --config:
  PREFIX.enableTlsPort=true                            TLS ports, 200 above the plain text ports: 9088, with --role-ports 8281 and so on
  PREFIX.enablePlaintextPort=false                     no plain text ports
  PREFIX.server.https.keyStorePath, keyStoreType, keyStorePassword, certAlias
                                                       the key and its certificate, in a store of type PKCS12 or JKS
  PREFIX.server.https.requireClientCertificate, trustStorePath, trustStorePassword
                                                       only clients with a trusted certificate
SIGHUP reloads certificates. A property that cannot be obeyed prevents the start. docs/tls.md lists all properties, with an example.
A password of a profile is sent to that profile's address only, and never appears in output, errors, history or the list of processes.

Without users, svcctl serve listens on the loopback address only; svcctl serve --config FILE reads the properties that configure users.

Users of a directory (LDAP), by properties svc.auth.authenticator.NAME.credentialsValidator.*:
  type=ldap                      passwords are checked by a directory
  url                            ldap://HOST:PORT, or ldaps://HOST:PORT with TLS
  bindUser, bindPassword         account for the search; without both, an anonymous search
  baseDn, userSearch             where users are, and a filter with %s for the name, as in (uid=%s)
  userAttribute                  attribute with the user's name
  groupFilters                   patterns of the groups to use; by default all
  credentialVerifyDuration       seconds without use after which a password is checked again (600)
  credentialMaxDuration          seconds after which it is checked again in any case (3600): until then a locked or changed user is still accepted
  credentialCacheSize            number of users in the cache (100); svcctl users refresh clears it
Authorizer, svc.auth.authorizer.NAME.*: roleProvider.type=ldap takes roles from group mappings, roleProvider.groupFilters selects the groups,
initialAdminGroupMapping names the group of the first administrators, initialAdminUser one user. A pattern is a group's distinguished name, *,DN
for all below a name, or RDN,* for all that begin with it. svc.auth.basic.ssl.trustStorePath is a file with the directory's authorities: PEM, PKCS12 or JKS.
A directory that does not answer within 10 seconds is asked again 5 seconds later; until then its users get status 503, and the log has the reason.
With skipOnFailure=true the next authenticator of the chain is asked about unknown users, also while the directory is unavailable.
`,

  testing: `Testing against svcctl serve

  svcctl serve --ephemeral --port 0 --control-port 0 -- ./test.sh

starts a service for a test (SVCCTL_URL) with a control interface: JSON over HTTP at SVCCTL_CONTROL_URL ("control" in the file of
--ready-file). It listens on the loopback address only, whatever --host says, and requires no login. An unknown path is answered with the list of paths.

The service's clock can be read, moved forward and back, and reset to the machine's clock. Rules, compaction, kill, clean-up of histories,
noop tasks, supervisors and CURRENT_TIMESTAMP use it; due duties of the Coordinator are done when the reply arrives.
Deadlines of queries and connections use the machine's clock.
  curl -s "$SVCCTL_CONTROL_URL/clock"
  curl -s "$SVCCTL_CONTROL_URL/clock" -d '{"by": "PT1H"}'
  curl -s "$SVCCTL_CONTROL_URL/clock" -d '{"by": "-P1D"}'
  curl -s "$SVCCTL_CONTROL_URL/clock" -d '{"to": "2030-01-01T00:00:00Z"}'
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/clock"

Faults make the next requests fail, wait or break: "times" is their number (1), "method" and "path" select them. A path is a prefix, or with * (any
text) a pattern of the whole path. "status" may have a "body" and "headers", "drop" cuts the connection, "delay" or "delayMs" waits first.
  curl -s "$SVCCTL_CONTROL_URL/faults" -d '{"path": "/status", "status": 503, "times": 2}'
  curl -s "$SVCCTL_CONTROL_URL/faults" -d '{"method": "POST", "path": "/*/indexer/v1/task", "drop": true}'
  curl -s "$SVCCTL_CONTROL_URL/faults" -d '{"path": "/status/health", "delay": "PT0.2S"}'
  curl -s "$SVCCTL_CONTROL_URL/faults"
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/faults/1"
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/faults"

Snapshots save and restore all data while the service runs: metadata, segments, results of statements, logs. Requests wait meanwhile, running tasks
end as in a restart, and a crash leaves the old or the new state. The clock is not changed. Snapshots are kept in the data folder.
  curl -s "$SVCCTL_CONTROL_URL/snapshots" -d '{"name": "before"}'
  curl -s "$SVCCTL_CONTROL_URL/snapshots"
  curl -s -X POST "$SVCCTL_CONTROL_URL/snapshots/before/restore"
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/snapshots/before"

The same with svcctl instead of curl:
  svcctl api POST /clock -f by=PT1H --url "$SVCCTL_CONTROL_URL"
`,

  mcp: `Assistants (Model Context Protocol)

"svcctl mcp" serves the commands as tools on standard input and output. A client starts it:

  claude mcp add svcctl -- svcctl mcp --profile prod

or, in its configuration file:

  {
    "mcpServers": {
      "svcctl": { "command": "svcctl", "args": ["mcp", "--profile", "prod"] }
    }
  }

Tools have the names of commands: tasks_list, sql, why_task, rules_preview. Their arguments are those of the command and
its flags; lists also take columns, sort, where, limit and jmespath. Standard input of a command is the argument stdin.

  svcctl mcp                              commands that change nothing, and forms that only read: config get, undo --list, api GET
  svcctl mcp --only sql,tasks,why         fewer tools, which leaves the assistant more room
  svcctl mcp --allow-writes               also commands that change something
  svcctl mcp --max-bytes 100000           larger results; --max-time 300 longer calls

With --allow-writes, a tool that changes something first returns a preview: the requests, and whether undo reverts them.
confirm: true makes the change. What destroys something, and every change with a protected profile, also needs
confirm_name, the name of the resource. The tool undo reverts changes, as svcctl undo does.

Address, profile and user are those of svcctl mcp; no tool changes them. Secrets in results are masked. Tools read the
files that their arguments name, with the permissions of svcctl. Commands that need a terminal or do not end are left out.

  npx @modelcontextprotocol/inspector svcctl mcp
                                          try it by hand
  svcctl help --json                      the same tree of commands for other programs
`,
};

// Guides: step-by-step topics of help, also sections of the manual.

/** Guides by topic. Those named after a command follow its page. */
export const guides: Readonly<Record<string, string>> = {
  profiles: `Profiles

A profile remembers a service under a name: its address, its own name in paths, who asks, and how to trust it.

  svcctl profiles add eu --url https://eu.example.org:9088 --user ann --cacert ca.pem
  svcctl profiles add prod --url https://prod.example.org --protected
  svcctl profiles use eu                  from now on this one counts
  svcctl tasks list --profile prod        another one, for this command
  svcctl tasks list --profile eu,prod     one list of several services
  svcctl profiles test prod               what is wrong with a connection, in words
  svcctl profiles show --explain          which setting comes from where

In a protected profile, what asks for a yes elsewhere asks for the name of what is changed (or --confirm=NAME).
Passwords are kept in the keychain of the system where there is one, else in the profile file, which only its owner can read.
PS1='$(svcctl profiles prompt) \\$ ' shows the profile in use.
`,

  sql: `SQL from a shell

  svcctl sql 'SELECT 1'                                  an argument, or -f FILE, or stdin
  svcctl sql --param VARCHAR:Oslo 'SELECT ... WHERE city = ?'
  svcctl sql --context timeout=60000 -f report.sql -o csv > report.csv
  svcctl sql                                             on a terminal: a shell; \\? lists its commands
  svcctl sql explain 'SELECT ...'                        how it would run
  svcctl sql --control-plane 'SELECT ... FROM tasks'     the lists of this program as tables; --profiles eu,us joins services

Rows are printed as they come, so a result may be larger than memory. Ctrl-C cancels the query on the service.
An answer that is cut off ends with exit code 1. Queries that take longer than a connection should last are statements:

  svcctl statements submit -f large.sql --wait
  svcctl statements results ID -o jsonl
`,

  ingestion: `Ingestion

From files on this machine or of the service, guessed and printed before it runs:
  svcctl ingest files edits.json.gz --into wikipedia --print-sql
  svcctl ingest files edits.json.gz --into wikipedia --wait=queryable

By SQL, INSERT or REPLACE, as a task:
  svcctl ingest sql --wait 'REPLACE INTO wikipedia OVERWRITE ALL SELECT ... PARTITIONED BY DAY'

By a native specification:
  svcctl tasks sample spec.json           a few rows, to see what becomes of them
  svcctl tasks submit spec.json --wait

Both read files, addresses and objects of S3: JSON, CSV, TSV, lines, Parquet and Avro. "svcctl help limits" says what else there is not. Properties
of the service name its own S3, and where exports may go:
  svc.s3.endpoint.url=https://s3.example.org
  svc.s3.accessKey=...                    with svc.s3.secretKey; or svc.s3.fileSessionCredentials=FILE
  svc.export.storage.s3.allowedExportPaths=["s3://bucket/exports/"]
  svcctl ingest sql --wait "INSERT INTO EXTERN(s3(bucket => 'bucket', prefix => 'exports/today')) AS CSV SELECT ..."

From a stream:
  svcctl supervisors apply stream.json
  svcctl supervisors status edits --watch

--wait ends when the task has ended, --wait=queryable when its rows can be queried. Ctrl-C while waiting leaves the task running, and says how to
come back; exit code 1 means that it failed, 7 that --max-wait was over, 8 that it still runs.
  svcctl tasks report ID                  stages, rows, errors in words
  svcctl tasks log ID --follow
  svcctl help fault CODE                  what a fault means, and what to do
`,

  jdbc: `JDBC

Programs that speak JDBC reach svcctl serve, and the services it is like, with the driver of Apache Calcite Avatica: jar
org.apache.calcite.avatica:avatica (1.25.0 is tested), class org.apache.calcite.avatica.remote.Driver. One of these is the connection string:

  jdbc:avatica:remote:url=http://127.0.0.1:8888/svc/v2/sql/avatica-protobuf/;serialization=protobuf;transparent_reconnection=true
  jdbc:avatica:remote:url=http://127.0.0.1:8888/svc/v2/sql/avatica/;transparent_reconnection=true

With --service druid the path begins with /druid instead of /svc; programs that know Druid by name want that.

  DBeaver     New connection, Apache Druid: host and port, with --service druid; else a new driver in the Driver Manager, with the jar and the class
  DataGrip    Data sources, Drivers, +: the jar, the class, and the connection string as URL template
  Tableau     To a server, Other Databases (JDBC): the connection string, dialect SQL92; the jar belongs into Tableau's folder of drivers
  Metabase    Druid JDBC: host and port, with --service druid
  sqlline     java -cp ... sqlline.SqlLine -d org.apache.calcite.avatica.remote.Driver -u 'jdbc:avatica:remote:url=...' -n USER -p PASSWORD

user and password are who asks, where the service has users: the driver sends them when it connects, in the body. Other properties of a connection
become the context of its queries, except names of secrets:

  ...;sqlTimeZone=Europe/Oslo;timeout=60000;user=ann;password=...

Permissions, limits, ids and cancel are those of SQL over HTTP. Statements read only: no INSERT, no batches; commit and rollback do nothing. A request
has at most 2 MB. These properties of the service have their effect:

  PREFIX.sql.avatica.enable=true                       false: no JDBC
  PREFIX.sql.avatica.maxConnections=25                 more are refused, unless one without statements makes room
  PREFIX.sql.avatica.maxStatementsPerConnection=4      more are refused
  PREFIX.sql.avatica.connectionIdleTimeout=PT5M        a connection that is not used is closed, and its queries end
  PREFIX.sql.avatica.minRowsPerFrame=100               rows of an answer, at least and at most; -1 as most is 100,000
  PREFIX.sql.avatica.maxRowsPerFrame=5000
  PREFIX.sql.avatica.fetchTimeoutMs=5000               after which the driver gets no rows yet, and asks again
`,

  retention: `Retention

Rules say what is kept, where, and for how long. The first rule of a datasource that applies to a segment decides; after its own come the default
rules. Load rules apply to segments that overlap their time, drop rules to those that lie within it. A segment that no rule matches stays where it is.

  svcctl rules list
  svcctl rules add wiki --type loadByPeriod --period P1Y --at 1 --comment 'keep a year'
  svcctl rules edit wiki                  in an editor, compared and checked before it is sent
  svcctl rules preview wiki --at now,+1y  what they do to the segments there are, now and later
  svcctl rules history wiki
  svcctl undo                             takes the last change back, with the segments that it has dropped

What a drop rule matches becomes unused: queries do not see it, its data stays. A wider rule keeps what is in use from then on; it does not bring
back what is unused already: mark-used does, or undo of the change that dropped it. Only kill deletes data:
  svcctl segments list --datasource wiki --unused
  svcctl segments mark-used wiki --interval 2024-01-01/2024-02-01
  svcctl segments kill wiki --interval 2024-01-01/2024-02-01 --confirm=wiki
`,

  'dynamic-config': `Dynamic configuration

What can be changed while a cluster runs: svcctl config coordinator|overlord|brokers get, set, edit, history, rollback.
svcctl serve takes, keeps and shows all of it. It is one machine with one Historical and one worker, so not all of it has something to act on.

Of the Coordinator, these have their effect in svcctl serve:
  pauseCoordination              no duty runs: no drop rule, no compaction, no kill; what is published is served all the same
  millisToWaitBeforeDeleting     how long what newer segments hide stays in use after a start
  decommissioningNodes           a Historical that is named keeps its segments and gets no new ones: those are unavailable until it is taken back
  killDataSourceWhitelist, killTaskSlotRatio, maxKillTaskSlots
                                 of what and how much is killed, where PREFIX.coordinator.kill.on is true
These have none: with one Historical nothing is moved, balanced, copied or cloned, segments are loaded at once, and none are reserved for later:
  maxSegmentsToMove, decommissioningMaxPercentOfMaxSegmentsToMove, percentOfSegmentsToConsiderPerMove, useBatchedSegmentSampler,
  balancerComputeThreads, emitBalancingStats, smartSegmentLoading, useRoundRobinSegmentAssignment, maxSegmentsInNodeLoadingQueue,
  replicantLifetime, replicationThrottleLimit, replicateAfterLoadTimeout, maxNonPrimaryReplicantsToLoad, turboLoadingNodes, cloneServers,
  historicalTierAliases, killPendingSegmentsSkipList, mergeBytesLimit, mergeSegmentsLimit, debugDimensions

Of the Overlord:
  selectStrategy                 affinityConfig, workerCategorySpec and taskLimits say which tasks the worker takes, others wait and their logs say why;
                                 whether work is spread or packed (equalDistribution, fillCapacity), and javascript, make no difference to one worker
  autoScaler                     none: there is no machine to start

Of the Brokers, queryContext and queryBlocklist have their effect.
Compaction obeys compactionTaskSlotRatio, maxCompactionTaskSlots and compactionPolicy, whose types are newestSegmentFirst, fixedIntervalOrder
and mostFragmentedFirst; a policy that would compact only a part of a time chunk compacts the whole.
`,

  security: `Security

Who asks: --user, and a password by --password-stdin, --password-file, --password-command, SVCCTL_PASSWORD or a question; never as a flag's
value. svcctl login stores it for the profile, svcctl whoami shows who one is and what one may do.

Who may do what, where the service has users (HTTP basic):
  svcctl roles create readers
  svcctl permissions grant readers --type DATASOURCE --name 'wiki.*' --action READ
  svcctl users create ann --role readers
  svcctl group-mappings create staff --pattern 'CN=staff,OU=groups,DC=example,DC=org' --role readers
Names of permissions are regular expressions that match as a whole.

TLS: --cacert trusts a certificate, --cert and --key show one's own, --insecure accepts anything and warns.
A service of one's own speaks TLS with --tls-cert and --tls-key (PEM, at all ports), or with the properties of a cluster in the file of --config:
  PREFIX.enableTlsPort=true                            TLS ports, 200 above those in plain text: 9088, with --role-ports 8281 and so on
  PREFIX.enablePlaintextPort=false                     no others
  PREFIX.server.https.keyStorePath, keyStoreType, keyStorePassword, certAlias
                                                       the key and its certificate, in a store of type PKCS12 or JKS
  PREFIX.server.https.requireClientCertificate, trustStorePath, trustStorePassword
                                                       only clients with a certificate that is trusted
SIGHUP lets it read certificates again. What cannot be obeyed stops the start. docs/tls.md has all of them, with an example.
A password that a profile knows goes to that profile's address only, and never into output, errors, history or the list of processes.

A service of one's own without users listens to its own machine only; svcctl serve --config FILE names the properties that give it users.

Users of a directory (LDAP), by properties svc.auth.authenticator.NAME.credentialsValidator.*:
  type=ldap                      a directory checks the passwords
  url                            ldap://HOST:PORT, or ldaps://HOST:PORT with TLS
  bindUser, bindPassword         the account that searches; neither: everyone may
  baseDn, userSearch             where users are, and a filter with %s for the name that finds one: (uid=%s)
  userAttribute                  the attribute that names them
  groupFilters                   patterns of the groups that count; all unless given
  credentialVerifyDuration       for so many seconds without use a password stays known (600)
  credentialMaxDuration          and with use (3600): who is locked or changed in the directory may come in as before for so long
  credentialCacheSize            of so many users (100); svcctl users refresh forgets them all
Of the authorizer, svc.auth.authorizer.NAME.*: roleProvider.type=ldap gives the roles of group mappings, roleProvider.groupFilters says which groups count,
initialAdminGroupMapping names the group of the first administrators, initialAdminUser one by name. Patterns are a group's distinguished name, *,DN
for all below a name, and RDN,* for all that begin so. svc.auth.basic.ssl.trustStorePath is a file with the authorities of the directory: PEM, PKCS12 or JKS.
A directory that does not answer within 10 seconds is asked again 5 seconds later; meanwhile those it would have to know hear 503, and the log says why.
With skipOnFailure=true the next authenticator of the chain is asked for users that are unknown, also while the directory is away.
`,

  testing: `Testing against a service of one's own

  svcctl serve --ephemeral --port 0 --control-port 0 -- ./test.sh

gives a test a service (SVCCTL_URL) and a hold on it from outside, the control interface: JSON over HTTP at SVCCTL_CONTROL_URL ("control" in the
file of --ready-file). It listens to this machine only, whatever --host says, and asks nobody who they are. A path that it does not know lists those
that it does.

The service's clock: read it, step it, let it jump, also back, and return to the machine's. Rules, compaction, kill, the clean-up of histories,
noop tasks and supervisors go by it, and so does CURRENT_TIMESTAMP; what the Coordinator has to do by then is done when the reply comes.
Deadlines of queries and connections go by the machine's clock.
  curl -s "$SVCCTL_CONTROL_URL/clock"
  curl -s "$SVCCTL_CONTROL_URL/clock" -d '{"by": "PT1H"}'
  curl -s "$SVCCTL_CONTROL_URL/clock" -d '{"by": "-P1D"}'
  curl -s "$SVCCTL_CONTROL_URL/clock" -d '{"to": "2030-01-01T00:00:00Z"}'
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/clock"

The next requests fail, wait, or break: "times" says how many (1), "method" and "path" which. A path counts as a beginning; with * in it, which stands
for any text, as a whole. "status" may have a "body" and "headers", "drop" cuts the connection, "delay" or "delayMs" comes before either, or alone.
  curl -s "$SVCCTL_CONTROL_URL/faults" -d '{"path": "/status", "status": 503, "times": 2}'
  curl -s "$SVCCTL_CONTROL_URL/faults" -d '{"method": "POST", "path": "/*/indexer/v1/task", "drop": true}'
  curl -s "$SVCCTL_CONTROL_URL/faults" -d '{"path": "/status/health", "delay": "PT0.2S"}'
  curl -s "$SVCCTL_CONTROL_URL/faults"
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/faults/1"
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/faults"

All data, put aside and put back while the service runs: metadata, segments, results of statements, logs. Requests wait meanwhile, tasks that run end
as if the service had stopped, and a crash leaves either state. The clock stays as it is. Snapshots are kept in the data folder.
  curl -s "$SVCCTL_CONTROL_URL/snapshots" -d '{"name": "before"}'
  curl -s "$SVCCTL_CONTROL_URL/snapshots"
  curl -s -X POST "$SVCCTL_CONTROL_URL/snapshots/before/restore"
  curl -s -X DELETE "$SVCCTL_CONTROL_URL/snapshots/before"

Without curl, the same by this program:
  svcctl api POST /clock -f by=PT1H --url "$SVCCTL_CONTROL_URL"
`,
};

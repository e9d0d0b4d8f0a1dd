// JDBC as programs use it: Avatica's driver in both serializations and sqlline, against the built
// service and, where JDBC_REFERENCE is the address of a Broker of a real cluster with the
// datasource [wikipedia], against that one too: what they answer is compared line by line. Needs
// Java and Maven. Usage: npm run test:jdbc
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = resolve(here, '../../../bin/svcctl.cjs');
const serializations = ['json', 'protobuf'];
const reference = process.env.JDBC_REFERENCE;

// Where a service and a real cluster differ, and why that is not about JDBC.
const known = { "CAST('x' AS CHAR(3))": 'values of CHAR are not padded' };
// Tables of a real cluster that others use are not compared.
const compared = /\| *(TABLE_CAT|druid .* wikipedia|channel|#)/;
// Where the driver itself makes two things of the same answer.
const ofSerialization = ['CAST(0.1 AS FLOAT)', 'ARRAY[1.5, 2]', 'SUM(added) / 0e0'];

// Users of their own, and nobody else.
const usersProperties = [
  'druid.extensions.loadList=["druid-basic-security", "druid-multi-stage-query"]',
  'druid.auth.authenticatorChain=["db"]',
  'druid.auth.authenticator.db.type=basic',
  'druid.auth.authenticator.db.initialAdminPassword=sesame',
  'druid.auth.authenticator.db.initialInternalClientPassword=internal',
  'druid.auth.authenticator.db.authorizerName=roles',
  'druid.auth.authorizers=["roles"]',
  'druid.auth.authorizer.roles.type=basic',
];

const missing = ['java', 'mvn'].filter((name) => spawnSync(name, ['-version']).error !== undefined);
if (missing.length) {
  console.log(`SKIPPED: JDBC drivers need what is not here: ${missing.join(', ')}`);
  process.exit(0);
}

let passed = 0;
let failed = 0;
const folder = mkdtempSync(join(tmpdir(), 'svcctl-jdbc-'));
const services = [];
try {
  const classpath = classpathOf();
  await tell(classpath);
} catch (error) {
  failed++;
  console.error(error);
} finally {
  await Promise.all(services.map(({ stop }) => stop()));
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\nJDBC drivers: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

async function tell(classpath) {
  const plain = await serve('plain', ['druid.sql.avatica.maxConnections=64'], '--demo');
  const answers = {};
  for (const serialization of serializations) {
    answers[serialization] = await java(classpath, 'answers', plain.url, serialization);
    const said = answers[serialization];
    check(
      `${serialization}: every row of every frame`,
      said.get('rows')?.startsWith('39244 rows ') &&
        said.get('rows in frames of 1000') === said.get('rows'),
    );
    check(`${serialization}: 64 connections`, said.get('64 connections, 16 at a time') === '64');
    check(
      `${serialization}: too many statements`,
      said.get('five statements')?.includes('Too many open statements, limit is 4'),
    );
    check(
      `${serialization}: nothing is refused that should work`,
      countOf(said, 'refused: ') === (serialization === 'json' ? 9 : 8),
      said,
    );
    if (!reference) continue;
    const there = await java(classpath, 'answers', reference, serialization);
    for (const [name, answer] of there)
      if (!(name in known))
        check(`${serialization}: ${name} as in the real cluster`, answer === said.get(name), [
          answer,
          said.get(name),
        ]);
  }
  if (!reference) console.log('JDBC_REFERENCE names no real cluster: nothing is compared with one');
  for (const [name, answer] of answers.json)
    if (!ofSerialization.includes(name))
      check(`both serializations: ${name}`, answer === answers.protobuf.get(name), answer);

  const channels =
    'SELECT channel, COUNT(*) AS wikipedia FROM wikipedia GROUP BY 1 ORDER BY 2 DESC LIMIT 5;';
  for (const command of ['!tables', '!columns "wikipedia"', channels]) {
    const shown = linesOf(sqlline(classpath, plain.url, command));
    check(`sqlline: ${command}`, shown.includes('wikipedia'), shown);
    if (reference)
      check(
        `sqlline: ${command} as in the real cluster`,
        shown === linesOf(sqlline(classpath, reference, command)),
        shown,
      );
  }

  const brief = await serve('brief', ['druid.sql.avatica.connectionIdleTimeout=PT2S'], '--demo');
  for (const serialization of serializations) {
    const many = await java(classpath, 'many', plain.url, serialization);
    check(`${serialization}: 64 connections at once`, many.get('open') === '64', many);
    check(
      `${serialization}: not one more`,
      many.get('one more')?.includes('Too many connections'),
      many,
    );
    check(
      `${serialization}: one more when they are closed`,
      many.get('after they are closed') === 'counted 39244',
      many,
    );
    const left = await java(
      classpath,
      'left',
      brief.url,
      serialization,
      'transparent_reconnection=true',
    );
    check(
      `${serialization}: the result of a connection that was left has ended`,
      left.get('the rest')?.startsWith('refused: '),
      left,
    );
    check(
      `${serialization}: a connection that was left is opened again`,
      left.get('a new statement')?.endsWith('Long(39244)'),
      left,
    );
    check(
      `${serialization}: a timeout that is none`,
      left.get('a timeout that is none')?.includes('Expected key [timeout] to be'),
      left,
    );
    check(`${serialization}: a timeout`, left.get('a timeout')?.includes('Query timeout'), left);
  }
  const { queries } = await (await fetch(`${brief.url}/druid/v2/sql/queries`)).json();
  check('nothing runs for connections that were left', queries.length === 0, queries);

  const users = await serve('users', usersProperties);
  await withUsers(users.url);
  for (const serialization of serializations) {
    const said = await java(classpath, 'users', users.url, serialization);
    check(`${serialization}: a password`, said.get('admin:sesame') === 'counted 1', said);
    for (const who of ['admin:wrong', 'nobody:sesame', ''])
      check(`${serialization}: [${who}]`, said.get(who)?.includes('Authentication failed.'), said);
    check(
      `${serialization}: no permission`,
      said.get('stranger:stranger')?.includes('ForbiddenException: Unauthorized'),
      said,
    );
  }
}

function check(name, isRight, seen) {
  if (isRight) passed++;
  else {
    failed++;
    console.log(
      `FAILED ${name}${seen === undefined ? '' : `: ${seen instanceof Map ? JSON.stringify([...seen]) : JSON.stringify(seen)}`.slice(0, 2000)}`,
    );
  }
}

function countOf(said, beginning) {
  return [...said.values()].filter((answer) => answer.startsWith(beginning)).length;
}

function linesOf(shown) {
  return shown
    .split('\n')
    .filter((line) => compared.test(line))
    .join('\n');
}

function classpathOf() {
  const file = join(folder, 'classpath');
  const { status, stdout } = spawnSync(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      join(here, 'pom.xml'),
      'dependency:build-classpath',
      `-Dmdep.outputFile=${file}`,
    ],
    { encoding: 'utf8', timeout: 300_000 },
  );
  if (status !== 0) throw new Error(`Maven could not bring the drivers: ${stdout}`);
  return readFileSync(file, 'utf8').trim();
}

function pathOf(serialization) {
  return `druid/v2/sql/avatica${serialization === 'protobuf' ? '-protobuf' : ''}/`;
}

async function java(classpath, story, url, serialization, ...properties) {
  const args = [
    '-Xmx256m',
    '-cp',
    classpath,
    join(here, 'Jdbc.java'),
    story,
    `${url}/${pathOf(serialization)}`,
    serialization,
    ...properties,
  ];
  const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  const read = (stream) => stream.setEncoding('utf8').toArray();
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    read(child.stdout),
    read(child.stderr),
  ]);
  check(
    `${serialization}: the program of story [${story}] ends`,
    code === 0,
    err.join('').slice(0, 1000),
  );
  return new Map(
    out
      .join('')
      .split('\n')
      .filter((line) => line.includes(' = '))
      .map((line) => [line.slice(0, line.indexOf(' = ')), line.slice(line.indexOf(' = ') + 3)]),
  );
}

function sqlline(classpath, url, command) {
  const connection = `jdbc:avatica:remote:url=${url}/${pathOf('json')}`;
  const flags = [
    '-d',
    'org.apache.calcite.avatica.remote.Driver',
    '-n',
    'x',
    '-p',
    'x',
    '--color=false',
    '--maxWidth=10000',
  ];
  const { stdout, stderr } = spawnSync(
    'java',
    ['-Xmx256m', '-cp', classpath, 'sqlline.SqlLine', '-u', connection, ...flags, '-e', command],
    {
      encoding: 'utf8',
      timeout: 120_000,
      env: { ...process.env, TERM: 'dumb' },
    },
  );
  return stdout + stderr;
}

async function serve(name, properties, ...flags) {
  const config = join(folder, `${name}.properties`);
  writeFileSync(config, properties.join('\n'));
  const args = [
    program,
    'serve',
    '--service',
    'druid',
    '--port',
    '0',
    '--ephemeral',
    '--config',
    config,
    ...flags,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  services.push({
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  });
  child.stderr
    .setEncoding('utf8')
    .on('data', (text) => /Internal error/.test(text) && check('no internal error', false, text));
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /^https?:\S+/.exec(line) ?? [];
    if (!url) continue;
    child.stdout.resume();
    if (flags.includes('--demo'))
      await until(async () =>
        (await sql(url, 'SELECT COUNT(*) AS n FROM wikipedia')).text.includes('39244'),
      );
    return { url };
  }
  throw new Error(`Service [${name}] has ended before it was open`);
}

async function sql(url, query, credentials, path = '/druid/v2/sql') {
  return post(`${url}${path}`, { query }, credentials);
}

async function post(url, body, credentials) {
  const headers = {
    'content-type': 'application/json',
    ...(credentials && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
  const reply = await fetch(url, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}

async function withUsers(url) {
  const admin = 'admin:sesame';
  const security = `${url}/druid-ext/basic-security`;
  await post(`${security}/authentication/db/db/users/stranger`, undefined, admin);
  await post(
    `${security}/authentication/db/db/users/stranger/credentials`,
    { password: 'stranger' },
    admin,
  );
  await post(`${security}/authorization/db/roles/users/stranger`, undefined, admin);
  const load =
    "REPLACE INTO wikipedia OVERWRITE ALL SELECT TIMESTAMP '2024-01-01' AS __time, 'x' AS channel PARTITIONED BY ALL";
  await sql(url, load, admin, '/druid/v2/sql/task');
  await until(
    async () =>
      (await sql(url, 'SELECT COUNT(*) AS n FROM wikipedia', admin)).text === '[{"n":1}]\n',
  );
}

async function until(isSo) {
  for (let left = 600; left > 0; left--) {
    if (await isSo()) return;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error('The service took longer than a minute');
}

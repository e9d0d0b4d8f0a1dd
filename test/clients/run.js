// Clients that others have written, against `serve` with the sample data: what each of them prints
// is compared with what a real 33.0.0 answers to the same program. Where CLIENTS_REAL_URL names a
// Router of a cluster that has the sample, as [wikipedia] or as CLIENTS_REAL_DATASOURCE (of which
// the newer programs know), the cluster is asked in the same run; else its replies of before, in
// test/clients/expected, are compared. Packages come from their registries into a folder of their
// own, kept where CLIENTS_PACKAGES names one. Usage: npm run test:clients [-- --only
// pydruid,plywood] [--write]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { differenceOf } from './difference.js';

const python = [
  'pydruid[sqlalchemy]==0.6.9',
  'SQLAlchemy==1.4.54',
  'ibis-framework[druid]==12.0.0',
  'packaging',
];
const programs = {
  pydruid: { file: 'pydruid_program.py' },
  superset: { file: 'superset_program.py' },
  ibis: { file: 'ibis_program.py' },
  airflow: {
    file: 'airflow_program.py',
    python: ['apache-airflow==3.0.6', 'apache-airflow-providers-apache-druid==4.6.1'],
  },
  plywood: {
    file: 'plywood_program.mjs',
    packages: ['plywood@0.33.3', 'plywood-druid-requester@3.0.2'],
  },
  cube: { file: 'cube_program.cjs', packages: ['@cubejs-backend/druid-driver@1.7.43'] },
  druidquery: {
    file: 'druidquery_program.py',
    python: ['druid-query==0.3.1', 'pydruid[async]==0.6.9'],
  },
  nodedruid: { file: 'nodedruid_program.cjs', packages: ['druid-query@2.2.1'] },
  toolkit: { file: 'toolkit_program.mjs', packages: ['druid-query-toolkit@1.2.2'] },
  calcite: { file: 'Calcite.java', artifacts: ['org.apache.calcite:calcite-druid:1.37.0'] },
  druidry: {
    file: 'Druidry.java',
    // Jersey needs what Java had once
    artifacts: ['in.zapr.druid:druidry:3.1', 'javax.xml.bind:jaxb-api:2.3.1'],
  },
  druiddb: { file: 'druiddb_program.py', python: ['druiddb==0.1.12', 'requests'] },
  // The library of Grafana's plugin for Druid
  godruid: { file: 'godruid_program.go', modules: ['github.com/grafadruid/go-druid@v0.0.6'] },
  hyperunique: { file: 'hyperunique_program.py', python: ['hyperunique-druid==0.1.1'] },
};
const programMs = 90_000;
const installMs = 240_000; // Airflow has two hundred packages

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(programs).join() },
    write: { type: 'boolean', default: false },
  },
});
const here = import.meta.dirname;
const known = JSON.parse(await readFile(join(here, 'known-differences.json'), 'utf8'));
const realUrl = process.env.CLIENTS_REAL_URL;
if (options.write && !realUrl)
  throw new Error(
    '--write takes the address of a real cluster: CLIENTS_REAL_URL=http://localhost:8888',
  );

const given = process.env.CLIENTS_PACKAGES;
const folder = given ? resolve(given) : await mkdtemp(join(tmpdir(), 'svcctl-clients-'));
let passed = 0;
let failed = 0;
let service;
const lacking = new Set(); // Python's environments whose packages could not be had
try {
  service = await startService();
  for (const name of options.only.split(',')) {
    if (!programs[name])
      throw new Error(
        `There is no program [${name}]; there are ${Object.keys(programs).join(', ')}`,
      );
    await compare(name, programs[name]);
  }
} finally {
  service?.child.kill('SIGTERM');
  if (service) await service.ended;
  await rm(service?.scratch ?? folder, { recursive: true, force: true });
  if (!given) await rm(folder, { recursive: true, force: true });
}
console.log(`\nclients: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

async function compare(name, program) {
  const began = Date.now();
  const environment = environmentOf(name, program);
  if (!environment) {
    console.log(`SKIPPED: client ${name}: its packages cannot be had here`);
    return;
  }
  const replies = (url, dataSource) =>
    run(program, environment, { DRUID_URL: url, CLIENTS_DATASOURCE: dataSource });
  const expectedFile = join(here, 'expected', `${name}.jsonl`);
  const expected = realUrl
    ? await replies(realUrl, process.env.CLIENTS_REAL_DATASOURCE ?? 'wikipedia')
    : linesIn(await readFile(expectedFile, 'utf8'));
  if (options.write)
    await writeFile(expectedFile, expected.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const actual = new Map(
    (await replies(service.url, 'wikipedia')).map((line) => [line.name, line]),
  );
  if (expected.length === 0) fail(name, 'all', 'the program printed nothing');
  for (const line of expected) {
    const difference = differenceOf(line, actual.get(line.name));
    const reason = known[`${name}: ${line.name}`];
    if (difference === undefined && reason !== undefined)
      fail(name, line.name, 'it is equal, and is listed in known-differences.json');
    else if (difference === undefined) passed += 1;
    else if (reason !== undefined) console.log(`known   ${name}: ${line.name}: ${reason}`);
    else fail(name, line.name, difference);
  }
  console.log(
    `${name}: ${expected.length} replies in ${((Date.now() - began) / 1000).toFixed(1)} s`,
  );
}

function fail(program, name, difference) {
  failed += 1;
  console.log(` FAIL  ${program}: ${name}: ${difference}`);
}

async function run({ file }, { command, args = [], env }, given) {
  const child = spawn(command, [...args, join(here, 'programs', file)], {
    env: { ...process.env, ...env, ...given, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: programMs,
  });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) console.log(`${file} ended with [${code}] against ${given.DRUID_URL}: ${errors}`);
  return linesIn(out);
}

function linesIn(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

function environmentOf(name, { file, packages, artifacts, modules, python: own }) {
  if (modules) return installGo(name, file, modules);
  if (packages) return installModules(name, packages);
  if (artifacts) return installJars(name, artifacts);
  return installPython(own ? name : 'python', own ?? python);
}

function installPython(environment, packages) {
  const venv = join(folder, environment);
  const command = join(venv, 'bin', 'python');
  const env = { command, env: {} };
  if (existsSync(join(venv, 'installed'))) return env;
  if (lacking.has(environment)) return undefined;
  const steps = [
    ['python3', ['-m', 'venv', venv]],
    [command, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]],
    ['touch', [join(venv, 'installed')]],
  ];
  if (steps.every(([program, args]) => done(program, args))) return env;
  lacking.add(environment);
  return undefined;
}

function installModules(name, packages) {
  const modules = join(folder, name);
  const env = { command: process.execPath, env: { CLIENTS_MODULES: modules } };
  if (existsSync(join(modules, 'node_modules', packages[0].slice(0, packages[0].lastIndexOf('@')))))
    return env;
  const args = [
    'install',
    '--prefix',
    modules,
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    '--loglevel=error',
    ...packages,
  ];
  return done('npm', args) ? env : undefined;
}

// Java runs the program from its source, with the artifacts and their dependencies on the class
// path.
function installJars(name, artifacts) {
  const project = join(folder, name);
  const jars = join(project, 'jars');
  const env = { command: 'java', args: ['-Xmx300m', '-cp', join(jars, '*')], env: {} };
  if (existsSync(jars)) return env;
  const needed = [...artifacts, 'org.slf4j:slf4j-nop:1.7.36'].map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(':');
    return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
  });
  const own =
    '<modelVersion>4.0.0</modelVersion><groupId>svcctl</groupId><artifactId>client</artifactId><version>1</version>';
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(project, 'pom.xml'),
    `<project>${own}<dependencies>${needed.join('')}</dependencies></project>`,
  );
  const args = [
    '-B',
    '-q',
    '-f',
    join(project, 'pom.xml'),
    'dependency:copy-dependencies',
    `-DoutputDirectory=${jars}.new`,
  ];
  return done('java', ['-version']) && done('mvn', args) && done('mv', [`${jars}.new`, jars])
    ? env
    : undefined;
}

// Go compiles the program with its modules.
function installGo(name, file, modules) {
  const project = join(folder, name);
  const command = join(project, 'client');
  if (existsSync(command)) return { command, env: {} };
  mkdirSync(project, { recursive: true });
  copyFileSync(join(here, 'programs', file), join(project, 'main.go'));
  const steps = [
    ['go', ['mod', 'init', 'client']],
    ['go', ['get', ...modules]],
    ['go', ['build', '-o', command, '.']],
  ];
  return steps.every(([program, args]) => done(program, args, project))
    ? { command, env: {} }
    : undefined;
}

function done(program, args, cwd) {
  const stdio = ['ignore', 'ignore', 'inherit'];
  return spawnSync(program, args, { stdio, cwd, timeout: installMs }).status === 0;
}

async function startService() {
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'svcctl-clients-service-'));
  const ready = join(scratch, 'ready.json');
  const args = [
    'serve',
    '--service',
    'druid',
    '--port',
    '0',
    '--ephemeral',
    '--demo',
    '--ready-file',
    ready,
  ];
  const child = spawn(process.execPath, [join(here, '..', '..', 'bin', 'svcctl.cjs'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, XDG_CONFIG_HOME: scratch, XDG_DATA_HOME: scratch },
  });
  const ended = once(child, 'close');
  const deadline = Date.now() + 120_000;
  while (!existsSync(ready)) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error('The service did not start');
    await new Promise((later) => setTimeout(later, 100));
  }
  return { child, ended, scratch, url: JSON.parse(await readFile(ready, 'utf8')).url };
}

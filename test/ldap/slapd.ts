// A real directory of a test's own: OpenLDAP's slapd on free ports of this machine, with its own
// folder, TLS by the authority of the tests, and groups that their members' entries name (the
// memberof overlay). Debian's packages slapd and ldap-utils; no service manager is asked.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { certificate } from '../support/certificates.ts';

const slapd = '/usr/sbin/slapd';
const schemas = '/etc/ldap/schema';
const modules = '/usr/lib/ldap';

/** Why no directory can be started here; undefined when one can. */
export function directoryIsMissing(): string | undefined {
  if (!existsSync(slapd))
    return 'there is no slapd: apt-get install --no-install-recommends slapd ldap-utils';
  if (spawnSync('ldapwhoami', ['-VV'], { stdio: 'ignore' }).status !== 0)
    return 'there are no ldap-utils';
  return undefined;
}

export const baseDn = 'dc=example,dc=org';
export const reader = { user: `cn=reader,${baseDn}`, password: 'reader-password' };

export interface Directory {
  readonly url: string; // ldap://
  readonly secureUrl: string; // ldaps://
  /** Adds and changes entries, as their LDIF says. */
  change(ldif: string): void;
  /** Ends the directory; its entries stay. `start` restores it, on the same ports. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Holds the directory, which then accepts connections and answers nothing, or lets it go on. */
  hold(): void;
  goOn(): void;
}

/**
 * Starts a directory with the usual entries and those of `ldif`, which ends with the test or the
 * file.
 */
export async function startDirectory(
  { ldif = '', server = 'server' }: { ldif?: string; server?: string } = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Directory> {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-slapd-'));
  const config = join(folder, 'slapd.conf');
  mkdirSync(join(folder, 'data'));
  writeFileSync(config, configuration(folder, server));
  const entries = join(folder, 'entries.ldif');
  writeFileSync(entries, `${usualEntries}\n${ldif}`);
  const [port = 0, securePort = 0] = await freePorts(2);
  const [url, secureUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${securePort}`];
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(slapd, ['-f', config, '-h', `${url} ${secureUrl}`, '-d', '0'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await answers(url);
  };
  const stop = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGCONT');
    ending.kill('SIGTERM');
    const impatient = setTimeout(() => ending.kill('SIGKILL'), 3000);
    await ended;
    clearTimeout(impatient);
  };
  atEnd(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });
  await start();
  run('ldapadd', ['-x', '-H', url, '-D', `cn=root,${baseDn}`, '-w', 'root', '-f', entries]);
  return {
    url,
    secureUrl,
    change: (text) =>
      run('ldapmodify', ['-x', '-H', url, '-D', `cn=root,${baseDn}`, '-w', 'root'], text),
    stop,
    start,
    hold: () => child?.kill('SIGSTOP'),
    goOn: () => child?.kill('SIGCONT'),
  };
}

const configuration = (folder: string, server: string) => `
include ${schemas}/core.schema
include ${schemas}/cosine.schema
include ${schemas}/inetorgperson.schema
modulepath ${modules}
moduleload back_mdb
moduleload memberof
pidfile ${folder}/pid
TLSCACertificateFile ${certificate('authority.pem')}
TLSCertificateFile ${certificate(`${server}.pem`)}
TLSCertificateKeyFile ${certificate(`${server}.key.pem`)}
allow bind_anon_cred bind_anon_dn
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${reader.user}" read by self read by * auth
database mdb
suffix "${baseDn}"
rootdn "cn=root,${baseDn}"
rootpw root
directory ${folder}/data
dbnosync
maxsize 268435456
index objectClass,uid,mail eq
overlay memberof
`;

const password = (text: string) => `userPassword: ${text}`;

/** The LDIF of a user, whose password is the name with -password behind it. */
export const userEntry = (uid: string, ...more: readonly string[]): string =>
  `${[`dn: uid=${uid},ou=people,${baseDn}`, 'objectClass: inetOrgPerson', `cn: ${uid}`, `sn: ${uid}`, `uid: ${uid}`, password(`${uid}-password`), ...more].join('\n')}\n`;

/** The LDIF of a group; `dn` and members without the base. */
export const groupEntry = (dn: string, ...members: readonly string[]): string =>
  `${[`dn:: ${Buffer.from(`${dn},${baseDn}`).toString('base64')}`, 'objectClass: groupOfNames', ...members.map((member) => `member: ${member},${baseDn}`)].join('\n')}\n`;

const organisation = (...names: readonly string[]) =>
  `${[`dn: ${names.map((name) => `ou=${name}`).join(',')},${baseDn}`, 'objectClass: organizationalUnit'].join('\n')}\n`;

const usualEntries = [
  `dn: ${baseDn}\nobjectClass: dcObject\nobjectClass: organization\no: example\n`,
  `dn: ${reader.user}\nobjectClass: person\nsn: reader\n${password(reader.password)}\n`,
  organisation('people'),
  organisation('groups'),
  organisation('north', 'groups'),
  userEntry('ann', 'mail: ann@example.org'),
  userEntry('bob'),
  userEntry('eve', 'mail: eve@example.org'),
  userEntry('svc_system'),
  userEntry('root'),
  groupEntry('cn=readers,ou=groups', 'uid=ann,ou=people', 'uid=bob,ou=people'),
  groupEntry('cn=writers,ou=north,ou=groups', 'uid=bob,ou=people'),
  groupEntry('cn=rulers,ou=groups', 'uid=root,ou=people'),
].join('\n');

function run(program: string, flags: readonly string[], input?: string): void {
  const { status, stderr, stdout } = spawnSync(program, flags, {
    encoding: 'utf8',
    ...(input !== undefined && { input }),
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${stdout}`);
}

async function answers(url: string): Promise<void> {
  for (const end = Date.now() + 10_000; ; await sleep(20)) {
    if (spawnSync('ldapwhoami', ['-x', '-H', url], { stdio: 'ignore' }).status === 0) return;
    if (Date.now() > end) throw new Error(`slapd does not answer at ${url}`);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

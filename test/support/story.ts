// A person with a profile, at any service of this API: the built one here, or the real cluster that
// `npm run test:cluster` has started and of which it says what there is in SVCCTL_STORY, as the
// script that starts it prints it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { runShell, type Typing } from './cli.ts';
import { startServed } from './served.js';

interface Cluster {
  readonly urls: {
    readonly [role in 'broker' | 'coordinator' | 'middleManager' | 'router']: string;
  };
  readonly kafka?: string;
  readonly accounts?: Readonly<Record<string, string>>;
}

export const cluster: Cluster | undefined =
  process.env.SVCCTL_STORY === undefined ? undefined : JSON.parse(process.env.SVCCTL_STORY);

/** How long a test of a story, and a wait in it, may take. */
export const patience = { timeout: cluster ? 600_000 : 120_000 };
export const soon = { timeout: cluster ? 300_000 : 60_000, interval: 500 };

/** A name that no story before had, on a service that is kept. */
export const named = (name: string): string => `${name}_${Date.now().toString(36)}`;

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/**
 * A service with an empty home, started and stopped around the tests of a file. `properties` are
 * those of `serve`, without its name before them.
 */
export function tellStory(properties: Readonly<Record<string, string>> = {}) {
  let home = '';
  let url = cluster?.urls.router ?? '';
  let stop = async () => {};

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'svcctl-story-'));
    if (cluster) return;
    const config = join(home, 'service.properties');
    await writeFile(
      config,
      Object.entries(properties).map(([name, value]) => `analytics.${name}=${value}\n`),
    );
    const service = await startServed([
      '--ephemeral',
      '--service',
      'analytics',
      '--config',
      config,
    ]);
    url = service.url;
    stop = async () => void (await service.stop());
  });
  afterAll(async () => {
    await stop();
    await rm(home, { recursive: true, force: true });
  });

  const placeOf = (env: Record<string, string>) => ({
    cwd: home,
    env: {
      SVCCTL_URL: url,
      SVCCTL_SERVICE: cluster ? 'druid' : 'analytics',
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      XDG_STATE_HOME: home,
      ...env,
    },
  });
  /** What a line of words does: `svcctl` is put before it. */
  const told = (line: string, env: Record<string, string> = {}): Promise<Said> =>
    runShell({ url: '' }, `svcctl ${line}`, placeOf(env));
  /** The screens of a line on a terminal of 80 columns, without colours. */
  const shown = async (line: string, types: readonly Typing[] = []): Promise<string> => {
    const { stdout, code } = await runShell({ url: '' }, `svcctl ${line}`, {
      ...placeOf({ TERM: 'xterm', NO_COLOR: '1', SVCCTL_PAGER: 'cat', LANG: 'C.UTF-8' }),
      tty: true,
      cols: 80,
      types,
    });
    expect({ line, stdout, code }).toMatchObject({ line, code: 0 });
    return stdout.replace(new RegExp(`${'\\x1b'}\\[[0-9;?]*[A-Za-z]`, 'g'), '');
  };
  /** The answer of a line that has to succeed. */
  const said = async (line: string, env?: Record<string, string>): Promise<string> => {
    const { stdout, stderr, code } = await told(line, env);
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
    return stdout;
  };
  return {
    url: () => url,
    urlOf: (role: 'broker' | 'coordinator' | 'middleManager') => cluster?.urls[role] ?? url,
    told,
    said,
    shown,
    /** The path of a file of the story. */
    pathOf: (name: string) => join(home, name),
    /** The answer as what JSON makes of it; the shape is the test's to know. */
    json: async (line: string, env?: Record<string, string>) =>
      JSON.parse(await said(`${line} -o json`, env)),
    /** The first line to the person. */
    changed: async (line: string, env?: Record<string, string>) =>
      (await told(line, env)).stderr.split('\n')[0],
    file: (name: string, content: unknown) =>
      writeFile(join(home, name), typeof content === 'string' ? content : JSON.stringify(content)),
  };
}

/** A native batch of rows in the statement, a segment a day. */
export const batchOf = (dataSource: string, rows: readonly object[]) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource,
      timestampSpec: { column: 't', format: 'iso' },
      dimensionsSpec: { dimensions: ['city', { type: 'long', name: 'n' }] },
      granularitySpec: { segmentGranularity: 'DAY', rollup: false },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
      inputFormat: { type: 'json' },
    },
    tuningConfig: { type: 'index_parallel' },
  },
});

export const threeDays = [
  { t: '2020-01-01', city: 'ulm', n: 1 },
  { t: '2020-01-02', city: 'bonn', n: 2 },
  { t: '2020-01-03', city: 'ulm', n: 3 },
];

/** What an older service answers about what it does not have. */
export const lacking = {
  code: 1,
  stdout: '',
  stderr: expect.stringContaining('error: The service at this address has no endpoint ['),
};

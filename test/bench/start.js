// Start-up times as ratios. All cases take turns within a round, so that a slow minute hits all of
// them; a ratio is the median of the rounds' ratios.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { undiciWithoutTheWeb } from '../../scripts/undici-without-the-web.js';
import { startServed } from '../support/served.js';
import { median, plainEnvironment, run } from './measure.js';

const tasks = '/svc/indexer/v1/tasks';
const svcctl = resolve('bin/svcctl.cjs');

// The smallest clients there are: undici as it comes, and undici bundled as svcctl bundles it.
const smallest = {
  'installed.cjs': `const { request } = require(${JSON.stringify(resolve('node_modules/undici'))});
    request(process.env.SVCCTL_URL + '${tasks}').then(({ body }) => body.text()).then((text) => process.stdout.write(text));`,
  'bundled.mjs': `import { setFlagsFromString } from 'node:v8'; import { Agent, request } from 'undici';
    if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only');
    request(process.env.SVCCTL_URL + '${tasks}', { method: 'GET', dispatcher: new Agent() })
      .then(({ body }) => body.text()).then((text) => process.stdout.write(text));`,
};

export async function start({ quick }) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  const service = await startServed(['--ephemeral']);
  try {
    for (const [name, code] of Object.entries(smallest)) await writeFile(join(folder, name), code);
    const bundle = await rolldown({
      input: join(folder, 'bundled.mjs'),
      platform: 'node',
      plugins: [undiciWithoutTheWeb],
    });
    await bundle.write({ file: join(folder, 'bundled.cjs'), format: 'cjs' });
    const env = {
      ...plainEnvironment,
      SVCCTL_URL: service.url,
      XDG_CONFIG_HOME: folder,
      XDG_CACHE_HOME: folder,
    };
    const times = await turns(quick ? 3 : 31, env, {
      'node -e 0': ['-e', '0'],
      'undici bundled as here': [join(folder, 'bundled.cjs')],
      'undici as installed': [join(folder, 'installed.cjs')],
      '--version': [svcctl, '--version'],
      '--help': [svcctl, '--help'],
      'completion of a flag': [svcctl, '__complete', '--', 'tasks', 'list', '--'],
      'tasks list': [svcctl, 'tasks', 'list'],
    });
    const ratio = (name, base, target) => ({
      what: `svcctl ${name} : ${base}`,
      value: median(times[name].map((ms, at) => ms / times[base][at])),
      unit: `x (${median(times[name]).toFixed(0)} ms)`,
      atMost: target,
    });
    return [
      ...['--version', '--help', 'completion of a flag'].map((name) =>
        ratio(name, 'node -e 0', 1.5),
      ),
      ratio('tasks list', 'undici bundled as here', 1.4),
      ratio('tasks list', 'undici as installed', 0.6),
    ];
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function turns(rounds, env, cases) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, args] of round % 2
      ? Object.entries(cases)
      : Object.entries(cases).reverse()) {
      const { ms } = await run(process.execPath, args, { env, stdout: 'pipe' });
      if (round >= 0) times[name].push(ms);
    }
  }
  return times;
}

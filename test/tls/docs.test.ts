// The example of docs/tls.md, as a person copies it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identity } from '../support/certificates.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { ask } from './connect.ts';
import { hasTools } from './stores.ts';

test.skipIf(!hasTools)('the example of docs/tls.md works as it stands', async () => {
  const folder = await temporaryFolder();
  const blocks = [
    ...readFileSync('docs/tls.md', 'utf8').matchAll(/^```(sh|properties)\n(.*?)^```/gms),
  ];
  const of = (kind: string) =>
    blocks.filter(([, language]) => language === kind).map(([, , text = '']) => text);
  expect([of('sh').length, of('properties').length]).toEqual([2, 2]);
  for (const commands of of('sh'))
    execFileSync('sh', ['-euc', commands], { cwd: folder, stdio: 'pipe' });
  const here = (text: string) => text.replace(/Path=/g, `Path=${folder}/`);
  const config = join(folder, 'tls.properties');
  writeFileSync(config, of('properties').map(here).join(''));

  const service = await startServed(['--ephemeral', '--config', config], {
    STORE_PASSWORD: 'changeit',
  });
  const ca = readFileSync(join(folder, 'service.pem'));
  const client = {
    cert: readFileSync(join(folder, 'client.pem')),
    key: readFileSync(join(folder, 'client.key.pem')),
  };
  expect(await ask(service.url, { ca, rejectUnauthorized: true, ...client })).toMatchObject({
    reply: 'HTTP/1.1 200 OK',
  });
  await expect(
    ask(service.url, { ca, ...identity('client') }).then(({ reply }) => reply),
  ).resolves.not.toContain('200');
  expect(await service.stop()).toMatchObject({ code: 0 });
});

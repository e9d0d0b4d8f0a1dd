// The Kafka broker of the tests, for scripts: tests are TypeScript, which this Node may not read by
// itself.
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** `kafkaIsMissing` and `startKafka` of kafka.ts. */
export async function brokerSupport() {
  const folder = await mkdtemp(resolve('dist', 'broker-'));
  const bundle = await rolldown({
    input: 'test/support/kafka.ts',
    platform: 'node',
    external: ['@platformatic/kafka'],
  });
  await bundle.write({ file: join(folder, 'kafka.mjs'), format: 'esm' });
  await bundle.close();
  const support = await import(pathToFileURL(join(folder, 'kafka.mjs')).href);
  await rm(folder, { recursive: true, force: true });
  return support;
}

// Temporary file of trusted certificates for a command beside a service with TLS.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs the work with SVCCTL_CACERT set to these certificates (PEM), or without the variable when
 * there are none.
 */
export async function withTrustedFile<T>(
  certificates: string | undefined,
  run: (env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  if (certificates === undefined) return run({});
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-trusted-'));
  try {
    const file = join(folder, 'service.pem');
    await writeFile(file, certificates);
    return await run({ SVCCTL_CACERT: file });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

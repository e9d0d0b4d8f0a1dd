// Writes the files that are generated from the code and committed: see src/docs/index.ts.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const folder = await mkdtemp('.docs-'); // here, so that packages are found
try {
  const bundle = await rolldown({ input: 'src/docs/index.ts', platform: 'node', external: /^[^./]/ });
  await bundle.write({ dir: folder, entryFileNames: 'pages.mjs' });
  const { pages } = await import(resolve(folder, 'pages.mjs'));
  for (const [path, make] of Object.entries(pages)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await make());
  }
} finally {
  await rm(folder, { recursive: true });
}

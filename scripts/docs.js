// Writer of the generated files that are committed: see src/docs/index.ts.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const folder = await mkdtemp('.docs-'); // here, so that packages are found
try {
  const bundle = await rolldown({
    input: 'src/docs/index.ts',
    platform: 'node',
    external: /^[^./]/,
  });
  await bundle.write({ dir: folder, entryFileNames: 'pages.mjs' });
  const { generatedFiles, wholeFolders } = await import(resolve(folder, 'pages.mjs'));
  const files = await generatedFiles();
  for (const whole of wholeFolders) await rm(whole, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
} finally {
  await rm(folder, { recursive: true });
}

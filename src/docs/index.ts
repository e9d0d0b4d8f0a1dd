// Generated and committed files. `npm run docs` writes them; a test checks that they are current.
import { readFileSync } from 'node:fs';
import { everyPage } from '../cli/command/tree.ts';
import { completionScripts } from '../cli/completion/completion-scripts.ts';
import { commands } from '../commands/index.ts';
import { commandsPage } from './commands.ts';
import { coveragePage } from './coverage.ts';
import { fileOf, manualPage } from './manual.ts';
import { murmur3Code } from './murmur3-code.ts';
import { packageWith } from './package.ts';
import { versionsPage } from './versions.ts';

/**
 * The text of each generated file under its path. Folders of `wholeFolders` hold only generated
 * files.
 */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const pages = await everyPage(commands);
  const manual = Object.fromEntries(
    pages.map((page) => [`man/${fileOf(page)}`, manualPage(page, pages)]),
  );
  return {
    'docs/coverage.md': await coveragePage(),
    'docs/versions.md': versionsPage(),
    'docs/commands.md': commandsPage(pages),
    'completions/svcctl.bash': completionScripts.bash,
    'completions/_svcctl': completionScripts.zsh,
    'completions/svcctl.fish': completionScripts.fish,
    'completions/svcctl.ps1': completionScripts.powershell,
    'src/sketches/murmur3-code.ts': await murmur3Code(),
    'package.json': packageWith(readFileSync('package.json', 'utf8'), Object.keys(manual)),
    ...manual,
  };
}

export const wholeFolders = ['completions', 'man'];

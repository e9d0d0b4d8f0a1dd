// The three levels of danger. Most commands need no confirmation, changes prompt y/N, and
// destructive changes require the name.
import { quoteWord } from '../../model/shell-text.ts';
import type { Ask } from '../input/prompt.ts';
import { CommandError } from '../process/errors.ts';
import type { Settings } from '../process/flags.ts';
import type { Danger } from './command.ts';

interface Guard {
  readonly settings: Pick<Settings, 'yes' | 'confirm' | 'dryRun'>;
  readonly ask: Ask;
  readonly isProtected: boolean; // of the profile: changes then require the name, too
  readonly warn: (sentence: string) => void;
}

export async function confirm(
  { level, what, name, back = 'This cannot be undone' }: Danger,
  { settings, ask, isProtected, warn }: Guard,
): Promise<void> {
  if (settings.dryRun) return;
  if (level === 'change' && !isProtected) {
    if (settings.yes || settings.confirm === name) return;
    if (!ask.possible) throw notConfirmed(what, 'add --yes to confirm');
    if (await ask.yes(`${what}. Continue?`, '--yes')) return;
    throw notConfirmed(what, 'nothing was changed');
  }
  if (settings.confirm === name) return;
  const meant = `--confirm=${quoteWord(name)}`;
  if (settings.confirm !== undefined)
    throw new CommandError(
      'refused',
      `--confirm=${quoteWord(settings.confirm)} does not name [${name}]. ${what}: not done`,
      meant,
    );
  if (!ask.possible) throw notConfirmed(what, `add ${meant} to confirm`);
  warn(`${what}. ${level === 'destroy' ? back : 'The profile is protected'}`);
  if ((await ask.text(`Type ${name} to continue:`, meant, '')) !== name)
    throw notConfirmed(what, 'the typed name does not match; nothing was changed');
}

const notConfirmed = (what: string, hint: string) =>
  new CommandError('refused', `${what}: not confirmed`, hint);

// Fast paths for --version, --help and completion, without loading commander.
import { isCommand } from './command/command.ts';
import { type Entries, pageOf, pageOfNoun, pageOfProgram } from './command/tree.ts';
import { placeOf } from './completion/place.ts';
import { helpOf, topicNames } from './help/help.ts';
import { exitCodes } from './process/exit-codes.ts';
import { type Io, widthIn } from './process/io.ts';
import { isTerminal, print } from './terminal/print.ts';

/**
 * Answers --version, --help and completion and returns the exit code. Returns undefined for every
 * other line, and for lines that it does not understand.
 */
export async function quickAnswer(version: string, entries: Entries, io: Io) {
  const text = await answerTo(io.argv.slice(2), version, entries, io);
  if (text === undefined) return;
  try {
    print(text);
  } catch (error) {
    const { reportError } = await import('./output/report-error.ts');
    return reportError(error, {}, io, {});
  }
  return exitCodes.done;
}

// Without a terminal, standard output is not initialized, because that takes milliseconds.
export const helpWidth = (io: Io) =>
  widthIn(io.env) ?? (isTerminal ? Math.min(io.stdout.columns || 80, 120) : 80);

// Commands whose help ends with the topic of the same name.
const withTopic = (noun: string, entries: Entries) =>
  noun in entries && topicNames.some((name) => name === noun);

async function answerTo(
  words: readonly string[],
  version: string,
  entries: Entries,
  io: Io,
): Promise<string | undefined> {
  const [first, second] = words;
  if (words.length === 1 && (first === '--version' || first === '-V')) return `${version}\n`;
  if (first === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    // An error message would disturb the line that is being typed.
    const candidates = await complete(words.slice(second === '--' ? 2 : 1), entries, io).catch(
      () => [],
    );
    return candidates.map((word) => `${word}\n`).join('');
  }
  // Shells run this command at every start.
  if (first === 'completion' && words.length === 2) {
    const { completionScripts } = await import('./completion/completion-scripts.ts');
    return Object.entries(completionScripts).find(([shell]) => shell === second)?.[1];
  }
  if (first === undefined) return helpOf(pageOfProgram(entries), helpWidth(io));
  if (first === 'help' && !words.some((word) => word.startsWith('-'))) {
    return words.length === 2 && withTopic(second ?? '', entries)
      ? undefined
      : helpAt(words.slice(1), entries, io);
  }
  const at = words.findIndex((word) => word === '--help' || word === '-h');
  return at < 0 ? undefined : helpAt(words.slice(0, at), entries, io);
}

async function helpAt(
  words: readonly string[],
  entries: Entries,
  io: Io,
): Promise<string | undefined> {
  const { noun, verb, command, values, waiting, literal } = await placeOf(words, entries);
  if (waiting !== undefined || literal) return; // the word is a value
  if (noun === undefined) return helpOf(pageOfProgram(entries), helpWidth(io));
  const entry = entries[noun];
  if (!entry || (values.length > 0 && !command)) return;
  if (verb !== undefined && command) return helpOf(pageOf([noun, verb], command), helpWidth(io));
  const loaded = await entry.load();
  return helpOf(
    isCommand(loaded) ? pageOf([noun], loaded) : pageOfNoun(noun, entry.summary, loaded),
    helpWidth(io),
  );
}

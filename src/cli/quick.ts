// Fast paths for --version, --help and completion, without loading commander.
import type { Page } from './command/page.ts';
import type { Entries } from './command/tree.ts';
import { helpOf, type Screen, topicNames, wholeHelpOf } from './help/help.ts';
import { programFile, readPages } from './help/page-files.ts';
import { exitCodes } from './process/exit-codes.ts';
import { type Io, widthIn } from './process/io.ts';
import { isTerminal, print } from './terminal/print.ts';

/**
 * Answers --version, --help and completion and returns the exit code. Returns undefined for every
 * other line, and for lines that it does not understand. The folder is that of the program.
 */
export async function quickAnswer(version: string, folder: string, entries: Entries, io: Io) {
  const text = await answerTo(io.argv.slice(2), version, folder, entries, io);
  if (text === undefined) return;
  try {
    print(text);
  } catch (error) {
    const { reportError } = await import('./output/report-error.ts');
    return reportError(error, {}, io, {});
  }
  return exitCodes.done;
}

// Without a terminal, standard output is not initialized, because that takes milliseconds. One line
// is left for the prompt of the shell.
export const helpScreen = (io: Io): Screen => ({
  width: widthIn(io.env) ?? (isTerminal ? Math.min(io.stdout.columns || 80, 120) : 80),
  height: (isTerminal ? Math.max(io.stdout.rows || 24, 24) : 24) - 1,
});

/** A request for help: the words of the command, and the form of its page. */
interface HelpRequest {
  readonly words: readonly string[];
  readonly isWhole: boolean; // --help --all
  readonly isJson: boolean; // --help --json
}

/** The page in the requested form. */
export const shownHelp = (page: Page, io: Io, { isWhole }: Pick<HelpRequest, 'isWhole'>) =>
  isWhole ? wholeHelpOf(page, helpScreen(io).width) : helpOf(page, helpScreen(io));

/** Whether --all follows --help; before it, --all belongs to the command. */
export function helpRequestIn(words: readonly string[]): HelpRequest | undefined {
  const isHelp = words[0] === 'help';
  const at = isHelp ? 0 : words.findIndex((word) => word === '--help' || word === '-h');
  if (at < 0) return;
  const behind = words.slice(at + 1);
  const forms = behind.filter((word) => word.startsWith('-'));
  if (isHelp && forms.some((word) => word !== '--all' && word !== '--json')) return;
  return {
    words: isHelp ? behind.filter((word) => !word.startsWith('-')) : words.slice(0, at),
    isWhole: forms.includes('--all'),
    isJson: forms.includes('--json'),
  };
}

// Commands whose help ends with the topic of the same name.
const withTopic = (noun: string, entries: Entries) =>
  noun in entries && topicNames.some((name) => name === noun);

async function answerTo(
  words: readonly string[],
  version: string,
  folder: string,
  entries: Entries,
  io: Io,
): Promise<string | undefined> {
  const [first, second] = words;
  if (words.length === 1 && (first === '--version' || first === '-V')) return `${version}\n`;
  if (first === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    const isExplained = second === '--describe';
    const line = words.slice(isExplained ? 3 : second === '--' ? 2 : 1);
    // An error message would disturb the line that is being typed.
    const candidates = await complete(line, { folder, entries }, io).catch(() => []);
    return candidates
      .map(
        ({ word, description }) =>
          `${word}${isExplained && description ? `\t${description}` : ''}\n`,
      )
      .join('');
  }
  // Shells run this command at every start.
  if (first === 'completion' && words.length === 2 && !second?.startsWith('-')) {
    const { completionScripts } = await import('./completion/completion-scripts.ts');
    return Object.entries(completionScripts).find(([shell]) => shell === second)?.[1];
  }
  const request = helpRequestIn(first === undefined ? ['help'] : words);
  if (!request) return;
  if (request.isJson)
    return (await import('./help/command-tree.ts')).treeAt(request.words, version, entries);
  const [noun, verb] = request.words;
  if (first === 'help' && verb === undefined && withTopic(noun ?? '', entries)) return;
  return helpAt(request, folder, entries, io);
}

// Flags among the words, whole pages and unknown words are left to commander.
function helpAt(
  { words, isWhole }: HelpRequest,
  folder: string,
  entries: Entries,
  io: Io,
): string | undefined {
  const [noun, verb] = words;
  if (isWhole || words.some((word) => word.startsWith('-'))) return;
  if (noun !== undefined && !Object.hasOwn(entries, noun)) return;
  const pages = readPages(folder, noun ?? programFile);
  const page =
    pages.find(({ words }) => words.length === 2 && words[1] === verb) ??
    pages.find(
      ({ words, isNoun, arguments: args }) =>
        verb === undefined || (words.length === 1 && !isNoun && args.length > 0),
    );
  return page && helpOf(page, helpScreen(io));
}

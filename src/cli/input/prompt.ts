// Adapter for inquirer, the only module that imports it. Without a terminal inquirer would wait
// forever, so this module first decides whether prompts are possible.

import { bestMatches } from '../../model/fuzzy.ts';
import { isVisible, visibleLine } from '../../model/visible-text.ts';
import { CommandError, UsageError } from '../process/errors.ts';
import { type Io, isAutomated } from '../process/io.ts';
import { marksFor } from '../terminal/marks.ts';
import { drawingStream } from '../terminal/terminal.ts';
import { sentenceOn } from '../terminal/wrapped.ts';

export interface Ask {
  readonly possible: boolean;
  /** Each question names the flag (or variable) that replaces it when prompts are impossible. */
  // A default with unprintable characters is not offered; an empty one allows an empty answer
  text(question: string, flag: string, defaultValue?: string): Promise<string>;
  password(question: string, flag: string): Promise<string>;
  yes(question: string, flag: string): Promise<boolean>;
  choice(question: string, flag: string, choices: readonly string[]): Promise<string>;
  /** The name of a file, with those that exist as choices. */
  file(question: string, flag: string): Promise<string>;
  /** A choice from a long list: typed letters filter it. */
  search(question: string, flag: string, choices: readonly Choice[]): Promise<string>;
}

interface Choice {
  readonly value: string;
  readonly name: string; // shown for it
}

interface Question {
  readonly type: 'input' | 'password' | 'confirm' | 'search' | 'select';
  readonly message: string;
  readonly default?: string | boolean;
  readonly mask?: false;
  readonly choices?: readonly Choice[];
  readonly validate?: (answer: string) => true | string;
  readonly isFile?: true;
  readonly source?: (typed: string | undefined) => readonly Choice[];
}

export function askerOf(io: Io, noInput: boolean, color: boolean): Ask {
  const isPossible = () =>
    !noInput && !isAutomated(io.env) && Boolean(io.stdin.isTTY) && Boolean(io.stderr.isTTY);

  // Questions go to stderr: stdout carries the command's answer.
  async function ask(flag: string, question: Question): Promise<unknown> {
    if (!isPossible())
      throw new UsageError(
        `"${question.message}" cannot be asked: input is not a terminal, or --no-input is set`,
        `give it with ${flag}`,
      );
    const { stdin, stdout, stderr } = io;
    const { default: inquirer } = await import('inquirer');
    try {
      const prompt = inquirer.createPromptModule({
        input: stdin,
        output: drawingStream(stdout.isTTY ? stdout : stderr),
      });
      const message = sentenceOn(
        { isTTY: true, columns: (stderr.columns || 80) - 2 },
        question.message,
      ); // the mark is in front
      const chosen = color ? (await import('../terminal/style.ts')).paintChosen : undefined;
      const { answer } = await prompt([
        { ...question, message, name: 'answer', theme: themeFor(question, io.env, chosen) },
      ]);
      return answer;
    } catch (error) {
      if (error instanceof Error && error.name === 'ExitPromptError')
        throw new CommandError('interrupted', 'Interrupted; nothing was changed');
      throw error;
    }
  }

  return {
    get possible() {
      return isPossible();
    },
    text: async (message, flag, defaultValue) =>
      String(
        await ask(flag, {
          type: 'input',
          message,
          ...(defaultValue !== undefined && isVisible(defaultValue) && { default: defaultValue }),
          ...(defaultValue !== '' && { validate: isGiven }),
        }),
      ),
    password: async (message, flag) =>
      String(await ask(flag, { type: 'password', message, mask: false })),
    yes: async (message, flag) =>
      (await ask(flag, { type: 'confirm', message, default: false })) === true,
    choice: async (message, flag, choices) =>
      String(
        await ask(flag, {
          type: 'select',
          message,
          choices: choices.map((value) => ({ name: visibleLine(value), value })),
        }),
      ),
    file: async (message, flag) => {
      const { fileChoices, isFileChoice } = await import('./file-choices.ts');
      return String(
        await ask(flag, {
          type: 'search',
          message,
          source: (typed = '') => fileChoices(typed),
          validate: isFileChoice,
          isFile: true,
        }),
      );
    },
    search: async (message, flag, choices) => {
      const width = (io.stderr.columns || 80) - 3; // the mark is in front
      const { cut: sign } = marksFor(io.env);
      const { cut } = await import('../terminal/width.ts');
      const shown = choices.map(({ name, value }) => ({
        name: cut(visibleLine(name), width, sign),
        short: visibleLine(value),
        value,
      }));
      return String(
        await ask(flag, {
          type: 'search',
          message,
          source: (typed = '') => bestMatches(typed, shown, ({ name }) => name),
        }),
      );
    },
  };
}

const isGiven = (answer: string) => answer !== '' || 'an answer is needed; Ctrl-C leaves';

// inquirer's default marks are not ASCII, its blue question mark is unreadable on black and its
// cyan answers on white, and it colours every text.
function themeFor(
  { type, isFile }: Question,
  env: NodeJS.ProcessEnv,
  chosen: ((text: string) => string) | undefined,
): object {
  const { ok, pointer } = marksFor(env);
  const colors = chosen
    ? { answer: chosen, highlight: chosen }
    : Object.fromEntries(styled.map((name) => [name, (text: string) => text]));
  return {
    prefix: { idle: '?', done: ok },
    icon: { cursor: pointer },
    style: {
      ...colors,
      keysHelpTip: () => keysOf[isFile ? 'file' : type],
    },
  };
}

const keysOf: Readonly<Record<string, string>> = {
  file: 'Tab completes, up and down choose, Enter takes it',
  search: 'type to filter, up and down choose, Enter takes it',
  select: 'up and down choose, Enter takes it',
};

const styled = [
  'answer',
  'message',
  'error',
  'defaultAnswer',
  'help',
  'highlight',
  'searchTerm',
  'key',
  'description',
  'disabled',
];

// Inputs that are one JSON list: services read an object from each line, so each item becomes a
// line.
import { UsageError } from '../../cli/process/errors.ts';
import { itemsOf } from '../../client/array-items.ts';
import { CutOff, UnexpectedReply } from '../../client/errors.ts';
import { formatJson } from '../../model/json.ts';
import { formatNamed } from './guess-columns.ts';
import type { Input } from './inputs.ts';

/**
 * The inputs, with a line for each item of those that are lists of objects. URLs are all like the
 * first one: each would have to be requested once more.
 */
export async function withItemsAsLines(
  inputs: readonly [Input, ...Input[]],
): Promise<readonly [Input, ...Input[]]> {
  const [first, ...others] = inputs;
  const found: [Input, ...Input[]] = [await withLines(first)];
  for (const input of others)
    found.push(input.kind === 'url' && !found[0].isList ? input : await withLines(input));
  return found;
}

async function withLines(input: Input): Promise<Input> {
  if (!(mayBeJson(input) && (await isList(input)))) return input;
  return { ...input, isList: true, content: (count) => linesOf(input, count) };
}

const mayBeJson = ({ path, packing }: Input): boolean => {
  const named = formatNamed(path);
  return named === 'json' || (named === undefined && packing !== 'zip');
};

async function isList(input: Input): Promise<boolean> {
  let text = '';
  for await (const chunk of input.content()) {
    text = (text + Buffer.from(chunk).toString('latin1')).replace(/^\xef\xbb\xbf/, '');
    if (text.length > mostBlank || /\S\s*\S/.test(text)) break;
  }
  return /^\s*\[\s*[{\]]/.test(text);
}

const mostBlank = 4096; // before and after the bracket

async function* linesOf(
  input: Input,
  count: ((bytes: number) => void) | undefined,
): AsyncIterable<Uint8Array> {
  try {
    for await (const items of itemsOf(input.content(count)))
      yield Buffer.from(items.map((item) => `${formatJson(item)}\n`).join(''));
  } catch (error) {
    if (error instanceof CutOff)
      throw new UsageError(`[${input.path}] is a JSON list without its end`);
    if (error instanceof UnexpectedReply) {
      const { message } = error.cause instanceof Error ? error.cause : error;
      throw new UsageError(`[${input.path}] is not a valid JSON list: ${message}`);
    }
    throw error;
  }
}

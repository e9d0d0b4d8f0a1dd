// Items of a JSON list as they arrive: each network chunk becomes one batch of whole items.
import { StringDecoder } from 'node:string_decoder';
import { parseJson } from '../model/json.ts';
import { CutOff, UnexpectedReply } from './errors.ts';
import { mostBytes } from './message.ts';

/**
 * Items in batches. Throws CutOff when the list is incomplete, and UnexpectedReply when the body is
 * not a list.
 */
export async function* itemsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterable<readonly unknown[]> {
  const decoder = new StringDecoder('utf8'); // its ASCII takes half the room of TextDecoder's, and everything that follows half the time
  let begun = ''; // an item without its end
  let depth = 0; // 0 before and after the list, 1 between its items
  let inText = false;
  let escaped = false;
  let isOver = false;
  let isPlain = true; // no assumed item boundary was wrong so far
  for await (const chunk of chunks) {
    if (isOver) continue;
    const text = decoder.write(chunk);
    let from = 0;
    // Most items are adjacent objects. The last place that looks like a boundary of two is one if
    // the text before it parses as whole items; then only the rest is scanned by character.
    const border = isPlain && depth > 0 ? text.lastIndexOf('},{') : -1;
    if (border !== -1) {
      const items = wholeItems(begun + text.slice(0, border + 1));
      if (items) {
        yield items;
        [begun, depth, inText, escaped, from] = ['', 1, false, false, border + 2];
      } else isPlain = false;
    }
    let end = -1; // of the last complete item
    let nextBackslash = -1;
    // Texts make up most of a reply, so skip them instead of scanning each character.
    const endOfText = (at: number) => {
      if (nextBackslash < at) nextBackslash = placeOf('\\', text, at);
      const quoteAt = placeOf('"', text, at);
      escaped = nextBackslash < quoteAt;
      inText = escaped || quoteAt === text.length;
      return Math.min(nextBackslash, quoteAt);
    };
    for (let at = from; at < text.length && !isOver; at++) {
      const sign = text.charCodeAt(at);
      if (escaped) escaped = false;
      else if (inText) at = endOfText(at);
      else if (sign === quote) inText = true;
      else if (sign === openBracket || sign === openBrace) {
        depth++;
        if (depth === 1) from = at + 1;
      } else if (sign === closeBracket || sign === closeBrace) {
        if (depth === 1) end = at;
        depth--;
        isOver = depth === 0;
      } else if (sign === comma && depth === 1) end = at;
    }
    if (depth === 0 && !isOver) continue;
    if (end === -1) begun += text.slice(from);
    else {
      const items = (begun + text.slice(from, end)).trim();
      begun = text.slice(end + 1);
      if (items !== '') yield parse(items);
    }
    if (begun.length > mostBytes)
      throw new UnexpectedReply(`An item of the list is longer than ${mostBytes / 2 ** 20} MiB`);
  }
  if (!isOver) throw new CutOff();
}

const placeOf = (sign: string, text: string, from: number) => {
  const place = text.indexOf(sign, from);
  return place === -1 ? text.length : place;
};

const [quote, comma] = [0x22, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

function wholeItems(items: string): readonly unknown[] | undefined {
  try {
    return parseJson(`[${items}]`) as readonly unknown[];
  } catch {
    return undefined;
  }
}

function parse(items: string): readonly unknown[] {
  try {
    return parseJson(`[${items}]`) as readonly unknown[];
  } catch (error) {
    throw new UnexpectedReply(`The reply is not a JSON list: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

// The only way to a terminal. Text is escaped. A control sequence passes only with a mark that is
// drawn at random for each process: no service, file or name can know it. Elsewhere text passes
// unchanged, and only the marks are taken out.
import { visibleText } from '../../model/visible-text.ts';

/** A control sequence of our own. It takes no room, and a terminal gets it as it is. */
export function control(sequence: string): string {
  mark ??= randomMark();
  return mark + sequence;
}

/** Text in the form in which a terminal gets it. */
export const terminalText = (text: string): string => release(text, visibleText);

/**
 * The stream behind a guard: what is written to a terminal is escaped. `isTerminal` says so of a
 * stream that leads to one, as a pager's does. The same stream has the same guard.
 */
export function guarded<Stream extends NodeJS.WritableStream & { readonly isTTY?: boolean }>(
  stream: Stream,
  isTerminal = Boolean(stream.isTTY),
): Stream {
  const known = guards.get(stream) as Stream | undefined;
  if (known) return known;
  const read = isTerminal ? textReader() : undefined;
  const form = (chunk: string | Uint8Array) => {
    if (read) return terminalText(read(chunk));
    return typeof chunk === 'string' ? release(chunk, unchanged) : chunk;
  };
  const guard = withWrite(stream, form);
  guards.set(stream, guard);
  unguarded.set(guard, stream);
  return guard;
}

/**
 * The stream behind the guard, for a library that draws: the texts it is given are escaped before.
 */
export const rawStream = <Stream extends NodeJS.WritableStream>(guard: Stream): Stream =>
  (unguarded.get(guard) as Stream | undefined) ?? guard;

/**
 * The stream for a library that draws, and echoes what is typed: it may move the cursor and paint,
 * and nothing else.
 */
export const drawnStream = <Stream extends NodeJS.WritableStream>(guard: Stream): Stream =>
  withWrite(rawStream(guard), (chunk) => String(chunk).split(drawing).map(drawnPart).join(''));

const guards = new WeakMap<object, object>();
const unguarded = new WeakMap<object, object>();

let mark: string | undefined;

// Sixteen controls of C1, 64 random bits: what measures text gives them no width.
const randomMark = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    String.fromCharCode(0x80 + (byte % 16)),
  ).join('');

const unchanged = (text: string) => text;

function release(text: string, form: (text: string) => string): string {
  if (mark === undefined || !text.includes(mark)) return form(text);
  const [first = '', ...marked] = text.split(mark);
  return form(first) + marked.map((part) => releasedPart(part, form)).join('');
}

function releasedPart(part: string, form: (text: string) => string): string {
  const [sequence = ''] = ownSequence.exec(part) ?? [];
  return sequence + form(part.slice(sequence.length));
}

// A carriage return, or a sequence as ECMA-48 has it: parameters, and a letter that ends it.
const esc = '\x1b';
const ownSequence = new RegExp(`^(?:\\r|${esc}\\[[?\\d;]*[A-Za-z])`);

// The same without a mark, as readline and inquirer write it: movements, erasing, colours, the
// cursor and the mode of pasting. And their bell.
const bell = '\x07';
const drawing = new RegExp(`((?:\\r|${bell}|${esc}\\[(?:[\\d;]*[A-HJKm]|\\?(?:25|2004)[hl]))+)`);

const drawnPart = (part: string, at: number) =>
  at % 2 === 1 ? part : visibleText(part.replaceAll('\r\n', '\n'));

// Bytes may end within a letter, or between the two signs that end a line on some systems.
function textReader(): (chunk: string | Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  return (chunk) => {
    const text =
      held + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    held = typeof chunk !== 'string' && text.endsWith('\r') ? '\r' : '';
    return text.slice(0, text.length - held.length).replaceAll('\r\n', '\n');
  };
}

type Form = (chunk: string | Uint8Array) => string | Uint8Array;

// Other packages replace a stream's `write` while they draw: it is looked up at each call.
function withWrite<Stream extends NodeJS.WritableStream>(stream: Stream, form: Form): Stream {
  const write = (chunk: string | Uint8Array, ...others: []) => stream.write(form(chunk), ...others);
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

// Guard in front of every terminal. Text is escaped. A control sequence passes only with a mark
// that is random for each process, so services, files and names cannot forge it. Other streams
// receive text unchanged, without the marks.
import { visibleText } from '../../model/visible-text.ts';

/** A control sequence of svcctl itself. It takes no room, and a terminal receives it unchanged. */
export function control(sequence: string): string {
  mark ??= randomMark();
  return mark + sequence;
}

/** Text escaped for a terminal. */
export const terminalText = (text: string): string => release(text, visibleText);

/** The text without svcctl's own control sequences, as wide as on the terminal. */
export const withoutControls = (text: string): string =>
  mark === undefined || !text.includes(mark)
    ? text
    : text
        .split(mark)
        .map((part, at) => (at === 0 ? part : part.replace(ownSequence, '')))
        .join('');

/**
 * The stream behind a guard, which escapes text for terminals. `isTerminal` marks a stream that
 * leads to one, such as a pager's. The same stream always gets the same guard.
 */
export function guardStream<Stream extends NodeJS.WritableStream & { readonly isTTY?: boolean }>(
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

/** The stream behind the guard, for a library that draws: callers must escape its texts. */
export const rawStream = <Stream extends NodeJS.WritableStream>(guard: Stream): Stream =>
  (unguarded.get(guard) as Stream | undefined) ?? guard;

/** The stream for a library that draws and echoes input: it may only move the cursor and paint. */
export const drawingStream = <Stream extends NodeJS.WritableStream>(guard: Stream): Stream =>
  withWrite(rawStream(guard), (chunk) => String(chunk).split(drawing).map(drawPart).join(''));

const guards = new WeakMap<object, object>();
const unguarded = new WeakMap<object, object>();

let mark: string | undefined;

// Sixteen C1 controls, 64 random bits: functions that measure text give them no width.
const randomMark = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    String.fromCharCode(0x80 + (byte % 16)),
  ).join('');

const unchanged = (text: string) => text;

function release(text: string, form: (text: string) => string): string {
  if (mark === undefined || !text.includes(mark)) return form(text);
  const [first = '', ...marked] = text.split(mark);
  return form(first) + marked.map((part) => releasePart(part, form)).join('');
}

function releasePart(part: string, form: (text: string) => string): string {
  const [sequence = ''] = ownSequence.exec(part) ?? [];
  return sequence + form(part.slice(sequence.length));
}

// A carriage return, or a sequence in ECMA-48 form: parameters and a final letter.
const esc = '\x1b';
const ownSequence = new RegExp(`^(?:\\r|${esc}\\[[?\\d;]*[A-Za-z])`);

// The unmarked sequences of readline and inquirer: movement, erasing, colours, the cursor and paste
// mode. And their bell.
const bell = '\x07';
const drawing = new RegExp(`((?:\\r|${bell}|${esc}\\[(?:[\\d;]*[A-HJKm]|\\?(?:25|2004)[hl]))+)`);

const drawPart = (part: string, at: number) =>
  at % 2 === 1 ? part : visibleText(part.replaceAll('\r\n', '\n'));

// A chunk may end within a letter, or between the two characters of a Windows line break.
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

// Other packages replace a stream's `write` while they draw, so it is looked up at each call.
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

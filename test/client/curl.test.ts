import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curlOf } from '../../src/client/curl.ts';
import type { Message } from '../../src/client/message.ts';
import { isVisible } from '../../src/model/visible-text.ts';

const read: Message = { method: 'GET', path: '/svc/indexer/v1/tasks?state=running', headers: [] };

test('a read', () => {
  expect(curlOf(read, { url: 'http://127.0.0.1:8888/' })).toBe(
    `curl --location 'http://127.0.0.1:8888/svc/indexer/v1/tasks?state=running'`,
  );
});

test('a write with a body, certificates and a secret that is not shown', () => {
  const write: Message = {
    method: 'POST',
    path: '/svc/x',
    headers: [['content-type', 'application/json']],
    body: `{"it's":"@ $HOME"}`,
  };
  const tls = { caFile: '/etc/my ca.pem', insecure: true };
  const line = curlOf(write, { url: 'https://admin:sesame@host', tls });
  expect(line).toBe(
    `curl --location --request POST --header 'content-type: application/json' --cacert '/etc/my ca.pem' --insecure ` +
      `--data-raw '{"it'\\''s":"@ $HOME"}' --user "$SVCCTL_USER:$SVCCTL_PASSWORD" https://host/svc/x`,
  );
});

test('the shell reads back every word as it was', () => {
  // Other characters have escapes of bash, which not every `sh` knows.
  const word = fc.string({ unit: 'grapheme' }).filter(isVisible);
  fc.assert(
    fc.property(word, (body) => {
      const line = curlOf({ ...read, method: 'POST', body }, { url: 'http://host' });
      const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`])
        .toString()
        .split('\0');
      expect(words).toEqual([
        'curl',
        '--location',
        '--request',
        'POST',
        '--data-raw',
        body,
        `http://host${read.path}`,
        '',
      ]);
    }),
    { numRuns: 50 },
  );
});

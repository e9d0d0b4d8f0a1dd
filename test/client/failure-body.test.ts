import { expect, test } from 'vitest';
import { failureOf, wordsOf } from '../../src/client/failure-body.ts';
import { families } from '../../src/contract/failure.ts';

const reply = (status: number, headers = {}, statusText = '') => ({ status, headers, statusText });
const read = (body: unknown, status = 400, headers = {}) =>
  failureOf(reply(status, headers), typeof body === 'string' ? body : JSON.stringify(body));

const wordless = ['empty', 'html']; // a page is made by whatever stands in between, most times

// On the wire, some families look alike.
const kinds: Partial<Record<string, string>> = {
  accessCheckText: 'accessCheck',
  errorAndMessage: 'simpleMap',
  failedTask: 'task',
  unquotedText: 'plainText',
  untyped: 'simpleMap',
};

test.each(Object.entries(families))('what the family %s says is understood', (family, write) => {
  const message = 'Task [nope] does not exist';
  const failure = read(write({ category: 'notFound', message }), 404);
  expect(failure).toMatchObject({
    status: 404,
    bodyKind: kinds[family] ?? family,
    ...(wordless.includes(family) ? {} : { message: expect.stringContaining(message) }),
  });
});

test('a DruidException tells category, code, context and the place in the query', () => {
  const context = {
    sourceType: 'sql',
    line: '1',
    column: '15',
    endLine: '1',
    endColumn: '15',
    token: 'x',
  };
  const body = {
    error: 'druidException',
    errorCode: 'invalidInput',
    persona: 'USER',
    category: 'INVALID_INPUT',
    errorMessage: 'No [x]',
    context,
  };
  expect(read(body)).toEqual({
    status: 400,
    bodyKind: 'druidException',
    message: 'No [x]',
    category: 'INVALID_INPUT',
    errorCode: 'invalidInput',
    context,
    host: undefined,
    line: 1,
    column: 15,
  });
});

test('the place in the query may also stand in the message', () => {
  const body = {
    error: 'druidException',
    errorCode: 'invalidInput',
    errorMessage: "Column 'c' not found (line [2], column [7])",
    context: {},
  };
  expect(read(body)).toMatchObject({ line: 2, column: 7 });
  expect(read({ error: 'Encountered "x" at line 3, column 1.' })).toMatchObject({
    line: 3,
    column: 1,
  });
});

test('an older query exception within a DruidException', () => {
  const context = { host: 'broker:8082', errorClass: 'x.Y', legacyErrorCode: 'Query timeout' };
  const failure = read(
    {
      error: 'Query timeout',
      errorClass: 'x.Y',
      host: 'broker:8082',
      errorCode: 'legacyQueryException',
      category: 'TIMEOUT',
      errorMessage: 'Too slow',
      context,
    },
    504,
  );
  expect(failure).toMatchObject({
    bodyKind: 'druidException',
    errorCode: 'legacyQueryException',
    category: 'TIMEOUT',
    message: 'Too slow',
    context,
  });
  expect(failure.host).toBe('broker:8082');
});

test('an older query exception without a message is told by its code', () => {
  expect(
    read({ error: 'Unauthorized request', errorMessage: null, errorClass: null, host: 'a' }, 401),
  ).toMatchObject({
    bodyKind: 'queryException',
    message: 'Unauthorized request',
    errorCode: 'Unauthorized request',
    host: 'a',
  });
});

const inner = {
  error: 'druidException',
  errorCode: 'InsertTimeNull',
  persona: 'USER',
  category: 'INVALID_INPUT',
  errorMessage: 'Null __time',
  context: {},
};

test('the error of a query that runs as a task', () => {
  const failure = read({ taskId: 'query-1', state: 'FAILED', error: inner });
  expect(failure).toMatchObject({
    bodyKind: 'task',
    queryId: 'query-1',
    message: 'Null __time',
    errorCode: 'InsertTimeNull',
  });
  expect(read({ taskId: null, state: 'FAILED', error: null }).message).toBe(
    'The query ended as [FAILED] and gave no reason',
  );
});

test('the error of a statement', () => {
  const failure = read({ queryId: 'query-2', state: 'FAILED', errorDetails: inner });
  expect(failure).toMatchObject({
    bodyKind: 'statement',
    queryId: 'query-2',
    message: 'Null __time',
    category: 'INVALID_INPUT',
  });
});

test('a query is known by the header of any service', () => {
  expect(read({ error: 'No' }, 500, { 'x-druid-sql-query-id': 'q7' }).queryId).toBe('q7');
});

test('Jetty’s page is told by its reason', () => {
  const page = `<html><head><title>Error 500 Server Error</title></head><body><h2>HTTP ERROR 500</h2><table>
<tr><th>URI:</th><td>/x</td></tr><tr><th>MESSAGE:</th><td>Unexpected &lt;EOF&gt; &amp; more</td></tr></table><hr>Powered by Jetty:// 12</body></html>`;
  expect(
    failureOf(reply(500, { 'content-type': 'text/html;charset=iso-8859-1' }, 'Server Error'), page),
  ).toMatchObject({
    bodyKind: 'html',
    message: 'The service answered 500 Server Error with a web page: Unexpected <EOF> & more',
    hint: undefined,
  });
});

test('another page says that something else answered', () => {
  const failure = failureOf(
    reply(404, {}, 'Not Found'),
    '<!DOCTYPE html><html><title>nginx</title></html>',
  );
  expect(failure).toMatchObject({
    message: 'The service answered 404 Not Found with a web page: nginx',
    hint: expect.stringContaining('port'),
  });
});

test.each([
  ['', 'empty', 'The service answered 503 Service Unavailable and gave no reason'],
  ['  \n', 'empty', 'The service answered 503 Service Unavailable and gave no reason'],
  ['Cannot find any task with id: [x]\n', 'plainText', 'Cannot find any task with id: [x]'],
  ['"quoted"', 'plainText', 'quoted'],
  ['Access-Check-Result: Unauthorized', 'accessCheck', 'Unauthorized'],
  ['{"broken":', 'plainText', '{"broken":'],
  ['[1,2]', 'plainText', '[1,2]'],
  ['null', 'plainText', 'null'],
  ['{}', 'plainText', '{}'],
  ['{"error":{"error":"deeper"}}', 'simpleMap', 'deeper'],
])('the body %j', (body, bodyKind, message) => {
  expect(failureOf(reply(503, {}, 'Service Unavailable'), body)).toMatchObject({
    bodyKind,
    message,
  });
});

test('words of a page are one short line', () => {
  expect(
    wordsOf(`<html><style>a { b }</style><h1>Hello\n</h1>${'<p>word</p>'.repeat(99)}`),
  ).toMatch(/^Hello word word .{1,70}…$/);
});

// Parser of error replies, the counterpart of contract/failure.ts: all families of bodies become
// the same fields. Proxies and Jetty add web pages, plain text and empty bodies.
import { parseJson } from '../model/json.ts';
import { type Headers, headerOf } from './message.ts';

export interface ServiceFailure {
  readonly status: number;
  readonly message: string;
  readonly bodyKind:
    | 'accessCheck'
    | 'druidException'
    | 'empty'
    | 'html'
    | 'plainText'
    | 'queryException'
    | 'simpleMap'
    | 'statement'
    | 'task';
  readonly category?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly context?: Readonly<Record<string, string>> | undefined;
  readonly host?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly queryId?: string | undefined;
  readonly hint?: string | undefined;
  readonly isLacking?: boolean | undefined; // the endpoint does not exist
}

interface Refused {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly isAnonymous?: boolean; // the request had no credentials
}

/** Parses the body of a reply with an error status, whatever its family. Never throws. */
export function failureOf(reply: Refused, body: string): ServiceFailure {
  const { status, headers } = reply;
  const queryId = queryIdIn(headers);
  const read = readBody(reply, body.trim());
  return {
    status,
    ...read,
    message: shorten(read.message),
    ...positionOf(read),
    ...((read.queryId ?? queryId) ? { queryId: read.queryId ?? queryId } : {}),
  };
}

/** The id of a reply's query, from X-<Service>-SQL-Query-Id or X-<Service>-Query-Id. */
export function queryIdIn(headers: Headers): string | undefined {
  const name = Object.keys(headers).find((header) => /^x-.+-query-id$/.test(header));
  return name && headerOf(headers, name);
}

// The limit is enough for a sentence with a stack trace.
const shorten = (message: string) =>
  message.length > 4000 ? `${message.slice(0, 3999)}…` : message;

type Read = Omit<ServiceFailure, 'status'>;

function readBody(reply: Refused, body: string): Read {
  if (body === '')
    return {
      bodyKind: 'empty',
      message: `The service answered ${statusLine(reply)} and gave no reason`,
    };
  if (isHtml(reply.headers, body)) return readPage(reply, body);
  const document = jsonIn(body);
  if (typeof document === 'string') return { bodyKind: 'plainText', message: document };
  if (isRecord(document) && isJettyPage(document))
    return readPage(reply, `<title>${text(document.message) ?? ''}</title> jetty`);
  if (isRecord(document)) return readDocument(document) ?? { bodyKind: 'plainText', message: body };
  const denied = /^Access-Check-Result: ?([\s\S]*)$/.exec(body)?.[1];
  return denied === undefined
    ? { bodyKind: 'plainText', message: body }
    : { bodyKind: 'accessCheck', message: denied };
}

// Some versions name the servlet, and some do not.
const isJettyPage = (document: Record<string, unknown>) =>
  'servlet' in document || ('url' in document && 'status' in document);

function readDocument(fields: Record<string, unknown>): Read | undefined {
  const { error, errorDetails, taskId, queryId, state } = fields;
  const denied = text(fields['Access-Check-Result']);
  if (denied !== undefined) return { bodyKind: 'accessCheck', message: denied };
  // For SQL as a task, the status of the task contains the error of the query
  if (taskId !== undefined && state !== undefined)
    return readNested('task', error, { queryId: text(taskId), state });
  if (queryId !== undefined && state !== undefined)
    return readNested('statement', errorDetails, { queryId: text(queryId), state });
  if (isRecord(error)) return readDocument(error);
  const message = text(fields.errorMessage) ?? text(error) ?? text(fields.message);
  if (message === undefined) return undefined;
  const { errorCode, category, context, host } = fields;
  const common = { message, host: text(host) };
  if (error === 'druidException' || errorCode !== undefined)
    return {
      ...common,
      bodyKind: 'druidException',
      errorCode: text(errorCode),
      category: text(category),
      context: textsIn(context),
    };
  if ('errorMessage' in fields || 'errorClass' in fields)
    return { ...common, bodyKind: 'queryException', errorCode: text(error) };
  // Some resources put a generic word into `error` and the reason into `message`.
  const reason = text(error) === message ? text(fields.message) : undefined;
  return { ...common, message: reason ? `${message}: ${reason}` : message, bodyKind: 'simpleMap' };
}

function readNested(
  bodyKind: 'statement' | 'task',
  error: unknown,
  { queryId, state }: { queryId: string | undefined; state: unknown },
): Read {
  const inner = isRecord(error) ? readDocument(error) : undefined;
  const message =
    inner?.message ?? text(error) ?? `The query ended as [${state}] and gave no reason`;
  return { ...inner, bodyKind, message, queryId };
}

// Jetty puts the reason into a table, or into JSON if the client prefers that; other servers put it
// into the title.
function readPage(reply: Refused, page: string): Read {
  const reason =
    /<th>MESSAGE:<\/th>\s*<td>([^<]*)/.exec(page)?.[1] || /<title>([^<]*)/i.exec(page)?.[1];
  if (reply.status === 401)
    return {
      bodyKind: 'html',
      message: `${reply.isAnonymous ? 'The service asks for a user and a password' : 'The service rejected this user and password'}: ${wordsOf(reason || page)}`,
    };
  const message = `The service answered ${statusLine(reply)} with a web page: ${wordsOf(reason || page)}`;
  return {
    bodyKind: 'html',
    message,
    hint: /jetty|<th>SERVLET:<\/th>/i.test(page)
      ? undefined
      : [502, 503, 504].includes(reply.status)
        ? behindProxyHint
        : wrongAddressHint,
  };
}

const behindProxyHint =
  'a proxy in front of the service cannot reach it: check whether the service runs, or try again in a moment';

/** The hint when another server seems to answer. */
export const wrongAddressHint =
  'something else may be listening there: check the URL, its port, and the proxy settings';

/** Whether a reply is a web page, by its type or its first bytes. */
export const isHtml = (headers: Headers, body: string): boolean =>
  /^text\/html\b/i.test(headerOf(headers, 'content-type') ?? '') ||
  /^\s*<(!doctype|html)\b/i.test(body);

/** The beginning of a text or web page, as one line of at most 80 characters. */
export function wordsOf(body: string): string {
  const start = body.slice(0, 2000).replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ');
  const words = unescapeText(start.replace(/<[^<>]*>/g, ' '))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}

const statusLine = ({ status, statusText }: Refused) => `${status} ${statusText}`.trim();

const unescapeText = (html: string) =>
  html.replace(
    /&(amp|lt|gt|quot|apos|nbsp|#39);/g,
    (entity, name: string) => entities[name] ?? entity,
  );
const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
};

function positionOf({ context, message }: Read) {
  const [, line, column] = /\bline \[?(\d+)\]?, column \[?(\d+)\]?/i.exec(message) ?? [];
  const at = { line: Number(context?.line ?? line), column: Number(context?.column ?? column) };
  return Number.isInteger(at.line) && Number.isInteger(at.column) ? at : {};
}

function jsonIn(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const textsIn = (value: unknown): Record<string, string> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          name,
          typeof item === 'string' ? item : String(item),
        ]),
      )
    : {};

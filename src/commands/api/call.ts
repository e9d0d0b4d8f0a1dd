import { type Context, command } from '../../cli/command/command.ts';
import type { PlannedMessage } from '../../cli/command/dry-run.ts';
import { send } from '../../cli/command/send.ts';
import { readInput } from '../../cli/input/read-json.ts';
import { UsageError } from '../../cli/process/errors.ts';
import type { Message, Reply } from '../../client/message.ts';
import { fileName, flag, listOf, oneOf, optional, required, text } from '../../contract/schema.ts';
import { pathFor } from '../../model/dialect.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { commandLine } from '../../model/shell-text.ts';

export const call = command({
  summary: 'Send any request and print the reply',
  description:
    "/svc at the start of a path stands for the service's own name. Without a method, a path is read with GET. Fields go into the query of a GET or HEAD, otherwise into a JSON body. -F reads true, false, null and numbers as JSON, and @FILE as the content of a file.",
  examples: [
    'svcctl api GET /status',
    'svcctl api GET /svc/indexer/v1/tasks -f state=running --query "[].id"',
    `svcctl api POST /svc/coordinator/v1/rules/wikipedia --input rules.json --dry-run`,
  ],
  arguments: {
    method: required(oneOf('GET', 'POST', 'PUT', 'DELETE', 'HEAD'), 'HTTP method'),
    path: required(text, 'Path, with an optional query string'),
  },
  options: {
    field: optional(listOf(text), 'Body field as name=text'),
    typedField: optional(listOf(text), 'Body field as name=value; the value is JSON, or @file'),
    input: optional(fileName, 'Body from a file; - reads stdin'),
    header: optional(listOf(text), 'Request header as name:value'),
    include: optional(flag, 'Print status and headers before the body'),
  },
  completers: { path: async (context) => (await import('./complete-path.ts')).pathsFor(context) },
  shorts: { field: 'f', typedField: 'F', header: 'H', include: 'i' },
  writes: 'change',
  reads: { method: ['GET', 'HEAD'], input: [] },
  async run(context, { args: { method, path }, options }) {
    const { out, io, service, settings } = context;
    if (!path.startsWith('/'))
      throw new UsageError(
        `Path [${path}] does not begin with /`,
        commandLine`svcctl api ${method} /${path}`,
      );
    const fields = await fieldsIn(options.field ?? [], options.typedField ?? [], (file) =>
      readInput(file, io),
    );
    const isRead = method === 'GET' || method === 'HEAD';
    if (options.input !== undefined && (isRead || fields.length > 0))
      throw new UsageError(
        '--input cannot be combined with fields, GET or HEAD',
        isRead
          ? 'write the fields of a GET into its path, or use -f'
          : 'put the fields into the file',
      );
    const body =
      options.input !== undefined
        ? await readInput(options.input, io)
        : isRead || fields.length === 0
          ? undefined
          : formatJson(Object.fromEntries(fields));
    const headers = (options.header ?? []).map(headerIn);
    if (body !== undefined && !headers.some(([name]) => name.toLowerCase() === 'content-type'))
      headers.push(['content-type', 'application/json']);
    const query =
      isRead && fields.length > 0
        ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]))}`
        : '';
    const message = {
      method,
      path: pathFor(service, path) + query,
      headers,
      ...(body !== undefined && { body }),
    };
    const reply = isRead ? await send(context, message) : await change(context, message);
    if (options.include) {
      const lines = Object.entries(reply.headers).map(
        ([name, value]) => `${name}: ${[value].flat().join(', ')}\n`,
      );
      await out.text([`${reply.status} ${reply.statusText}\n${lines.join('')}\n`]);
    }
    const isLookedAt =
      settings.query !== undefined || (out.format !== undefined && out.format !== 'none');
    if (!isLookedAt) return out.text(io.stdout.isTTY ? endLine(reply.stream) : reply.stream);
    await out.document(documentIn(await reply.text()));
  },
});

// Changes are recorded for svcctl undo, as in any other command. Paths outside the contract are
// recorded as not undoable.
async function change(context: Context, message: Message): Promise<Reply> {
  const { call, confirm, dryRun, io, profile, resolved, service, settings } = context;
  const { knownEndpoint } = await import('./known-endpoint.ts');
  const { isChange, recordAs, recordUnknown, undoLabel, unknownRequest } = await import(
    '../../cli/command/journal.ts'
  );
  const known = knownEndpoint(service, {
    ...message,
    body: typeof message.body === 'string' ? message.body : undefined,
  });
  if (dryRun) {
    const undo = known ? undoLabel(known.endpoint, known.given) : `no: ${unknownRequest}`;
    const planned: PlannedMessage = { ...message, undo };
    return send(context, planned);
  }
  if (profile?.protected && (!known || isChange(known.endpoint)))
    await confirm({
      level: 'change',
      what: `Send ${message.method} ${message.path}`,
      name: resolved.profileName ?? '',
    });
  const where = { io, settings };
  const change = () => send(context, message);
  return known
    ? recordAs(call, known.endpoint, known.given, where, change)
    : recordUnknown(message, where, change);
}

async function fieldsIn(
  texts: readonly string[],
  typed: readonly string[],
  read: (file: string) => Promise<string>,
) {
  const plain = texts.map((said): [string, unknown] => pairIn(said, '--field'));
  const meant = typed.map(async (said): Promise<[string, unknown]> => {
    const [name, value] = pairIn(said, '--typed-field');
    if (value.startsWith('@')) return [name, await read(value.slice(1))];
    return [
      name,
      /^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{].*)$/s.test(value)
        ? jsonIn(said, value)
        : value,
    ];
  });
  return [...plain, ...(await Promise.all(meant))];
}

// Piped output is unchanged; on a terminal, a final line break puts the next prompt on a new line.
async function* endLine(chunks: AsyncIterable<Uint8Array>) {
  let last: number | undefined;
  for await (const chunk of chunks) {
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  if (last !== undefined && last !== lineFeed) yield new Uint8Array([lineFeed]);
}

const lineFeed = 10;

// A reply may not match its declared type: a leader is plain text declared as JSON. Plain text is a
// valid document, too.
function documentIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text.trimEnd();
  }
}

function jsonIn(said: string, value: string): unknown {
  try {
    return parseJson(value);
  } catch (error) {
    throw new UsageError(
      `Value [${said}] of --typed-field is not JSON: ${(error as Error).message}`,
      'a text is given with -f NAME=TEXT',
    );
  }
}

function pairIn(said: string, name: string): [string, string] {
  const at = said.indexOf('=');
  if (at < 1)
    throw new UsageError(
      `Value [${said}] of ${name} is not name=value`,
      'an example: -f state=running',
    );
  return [said.slice(0, at), said.slice(at + 1)];
}

function headerIn(said: string): [string, string] {
  const at = said.indexOf(':');
  if (at < 1)
    throw new UsageError(
      `Value [${said}] of --header is not name:value`,
      'an example: -H accept:text/plain',
    );
  return [said.slice(0, at).trim(), said.slice(at + 1).trim()];
}

// Adapter for the SDK of the Model Context Protocol, the only module that imports it.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { version } from '../../../package.json';
import type { Context } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { flagEntries, flagOf, variableOf } from '../../cli/process/flags.ts';
import { answerOf } from './answer.ts';
import { messagesIn } from './messages.ts';
import { runLine } from './run-line.ts';
import { isList, lineOf, type Tool } from './tools.ts';

interface Bounds {
  readonly maxBytes: number;
  readonly maxTimeMs: number;
}

interface Offer {
  readonly tools: readonly Tool[];
  readonly withheld: readonly Tool[]; // they change something, which is not allowed
}

const most = 4; // calls at the same time; others wait
const mostWaiting = 100; // further ones are not read before one of these begins
const instructions =
  'Tools are commands of svcctl, which administers an analytics data service such as Apache Druid. Results are JSON; lists have one document per line. Errors have a hint. A tool that changes something returns a preview unless confirm is true.';

const readingOnly =
  'Only tools that read are offered here; those that change something need svcctl mcp --allow-writes.';

/** Serves the tools until the client closes the input or the command is interrupted. */
export async function serveTools(
  { io, resolved, signal }: Context,
  { tools, withheld }: Offer,
  bounds: Bounds,
): Promise<void> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const fixed = fixedFlags(resolved);
  const env = childEnvironment(io.env);
  const ended = new AbortController();
  const { inTurn, hasRoom } = limiterOf(most, mostWaiting);

  async function call(tool: Tool, input: Readonly<Record<string, unknown>>, stopped: AbortSignal) {
    const line = lineOf(tool, input, fixed);
    const words = [process.execPath, io.argv[1] ?? '', ...line.words];
    const finished = await inTurn(() =>
      runLine(
        words,
        { env, stdin: line.stdin },
        {
          maxBytes: isList(tool.page) ? bounds.maxBytes : maxDocumentBytes,
          maxTimeMs: bounds.maxTimeMs,
          signal: AbortSignal.any([stopped, ended.signal, signal]),
        },
      ),
    );
    return answerOf(tool, line, finished, bounds);
  }

  const server = new Server(
    { name: 'svcctl', version },
    {
      capabilities: { tools: {} },
      instructions: withheld.length > 0 ? `${instructions} ${readingOnly}` : instructions,
      jsonSchemaValidator: noElicitation,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ page: _, ...tool }) => tool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = byName.get(params.name);
    const { text, isError } = tool
      ? await call(tool, params.arguments ?? {}, extra.signal).catch(errorAnswer)
      : errorAnswer(lackOf(params.name, withheld));
    return { content: [{ type: 'text', text }], isError };
  });
  const isFree = async () => {
    if (io.stdout.writableNeedDrain) await once(io.stdout, 'drain');
    await hasRoom();
  };
  const input = Readable.from(messagesIn(io.stdin, isFree));
  await server.connect(new StdioServerTransport(input, io.stdout));
  try {
    await new Promise<void>((resolve, reject) => {
      input.once('end', resolve).once('close', resolve).once('error', reject);
      signal.addEventListener('abort', () => resolve());
    });
  } finally {
    io.stdin.destroy();
    ended.abort();
    await server.close();
  }
}

const maxDocumentBytes = 4_000_000; // a document is read whole, so that its secrets can be masked

// Only requests to a person need a validator, and this server makes none.
const noElicitation = {
  getValidator: () => () => {
    throw new Error('svcctl asks nothing');
  },
};

const lackOf = (name: string, withheld: readonly Tool[]) =>
  withheld.some((tool) => tool.name === name)
    ? new CommandError(
        'usage',
        `Tool [${name}] changes something, and this server offers only tools that read`,
        'start it as svcctl mcp --allow-writes',
      )
    : new CommandError('usage', `Tool [${name}] does not exist`);

const errorAnswer = (error: unknown) => {
  const { message, hint } = error as { message: string; hint?: string };
  return {
    text: `error: ${message}${hint === undefined ? '' : `\nhint: ${hint}`}`,
    isError: true,
  };
};

/** The flags of this command as flags of each call. */
function fixedFlags({ winners, profileName }: Context['resolved']): readonly string[] {
  const given = flagEntries.flatMap(([name, { kind, group }]) => {
    const winner = winners.get(name);
    if (group !== 'connection' || winner?.source !== 'flag' || name === 'profile') return [];
    return kind === 'flag' ? [flagOf(name)] : [`${flagOf(name)}=${winner.value}`];
  });
  return [...(profileName === undefined ? [] : [`--profile=${profileName}`]), ...given];
}

// Settings of output belong to a person's shell, and an editor would wait for one.
function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const left = flagEntries.flatMap(([name, { group }]) =>
    group === 'connection' && name !== 'verbose' && name !== 'printCurl' ? [] : [variableOf(name)],
  );
  const kept = Object.entries(env).filter(
    ([name]) => !left.includes(name) && name !== 'VISUAL' && name !== 'EDITOR',
  );
  return Object.fromEntries(kept);
}

function limiterOf(most: number, mostWaiting: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  let tellRoom: (() => void) | undefined;
  return {
    async inTurn<T>(work: () => Promise<T>): Promise<T> {
      if (free > 0) free--;
      else await new Promise<void>((start) => waiting.push(start));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
        tellRoom?.();
      }
    },
    /** Resolves when fewer than `mostWaiting` calls wait. */
    async hasRoom(): Promise<void> {
      while (waiting.length >= mostWaiting)
        await new Promise<void>((resolve) => {
          tellRoom = resolve;
        });
    },
  };
}

// Dry runs: reads are sent, writes are collected. A collected write returns an empty reply of the
// right shape, so that a command with several writes shows them all.
import { type CallEndpoint, messageFor } from '../../client/client.ts';
import type { Message } from '../../client/message.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Schema } from '../../contract/schema.ts';
import { maskText } from '../../model/secrets.ts';
import { columnsOf } from '../lists/columns.ts';

export interface PlannedMessage extends Message {
  readonly undo?: string; // whether svcctl undo could revert it
}

/** Calls that collect writes: each becomes a message of the plan. */
export function planCalls(
  call: CallEndpoint,
  findName: () => Promise<string>,
  plan: PlannedMessage[],
): CallEndpoint {
  const recordWrite = async (endpoint: Endpoint, input?: object) => {
    if (endpoint.method === 'GET')
      return (call as (endpoint: Endpoint, input?: object) => Promise<unknown>)(endpoint, input);
    const { undoLabel } = await import('./journal.ts');
    const service = await findName();
    plan.push({
      ...maskMessage(messageFor(service, endpoint, input)),
      undo: undoLabel(endpoint, input),
    });
    return endpoint.reply.kind === 'json' ? blank(endpoint.reply.schema) : nothing();
  };
  return recordWrite as CallEndpoint;
}

/** A message that is safe to show: a placeholder replaces each secret in its body. */
export const maskMessage = (message: Message): Message =>
  typeof message.body === 'string' ? { ...message, body: maskText(message.body) } : message;

/** The planned requests as a list. */
export const planColumns = columnsOf<PlannedMessage>({
  method: ({ method }) => method,
  path: ({ path }) => path,
  headers: {
    value: ({ headers }) => headers.map(([name, value]) => `${name}: ${value}`).join(', '),
    wide: true,
  },
  body: ({ body }) => (typeof body === 'string' ? body : body && `${body.length} bytes`),
  undo: ({ undo }) => undo,
});

async function* nothing(): AsyncIterable<Uint8Array> {}

interface Shape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly unknown[];
  readonly wrapped?: Schema;
}

function blank(schema: Schema): unknown {
  const { type, entries, options = [], wrapped } = schema as Shape;
  if (entries) {
    const fields = Object.entries(entries).filter(([, field]) => field.type !== 'exact_optional');
    return Object.fromEntries(fields.map(([name, field]) => [name, blank(field)]));
  }
  if (type === 'picklist') return options[0];
  if (type === 'union') return blank(options[0] as Schema);
  if (wrapped) return null;
  return (
    {
      string: '',
      number: 0,
      bigint: 0n,
      boolean: false,
      array: [],
      record: {},
      object: {},
      loose_object: {},
    }[type] ?? null
  );
}

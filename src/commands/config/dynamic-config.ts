// Commands for dynamic configurations. Coordinator and Overlord share the verbs and differ in their
// fields.

import { type Command, type Context, command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import type { CallEndpoint } from '../../client/client.ts';
import { type AuditEntry, period, signature } from '../../contract/audit.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  anyObject,
  check,
  fieldsOf,
  fileName,
  flag,
  integer,
  listOf,
  Mismatch,
  oneOf,
  optional,
  required,
  type Schema,
  text,
  type Values,
} from '../../contract/schema.ts';
import { isSame } from '../../model/difference.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { commandLine } from '../../model/shell-text.ts';

export type Document = Readonly<Record<string, unknown>>;

export interface DynamicConfig {
  readonly name: string; // the word in the command: coordinator
  readonly what: string; // the name in sentences: the Coordinator
  readonly summary: string;
  readonly examples: readonly [string, ...string[]];
  readonly endpoints: readonly Endpoint[];
  readonly schema: Schema; // of the request body
  readonly isPartial: boolean; // whether a change may omit unchanged fields
  get(call: CallEndpoint): Promise<Document | undefined>;
  set(call: CallEndpoint, body: Document, headers: Values<typeof signature>): Promise<void>;
  history(call: CallEndpoint, query: Values<typeof period>): Promise<AuditEntry[]>;
}

/**
 * The command of a dynamic configuration: `svcctl config coordinator get`, `set`, `edit`, `history`
 * and `rollback`.
 */
export const dynamicConfig = (config: DynamicConfig): Command =>
  command({
    summary: config.summary,
    description:
      'get shows the configuration, set changes fields (FIELD=VALUE, or --file), edit opens it in an editor, history lists changes with their authors, and rollback restores the state before the last change, or before the last --steps changes.',
    examples: config.examples,
    endpoints: config.endpoints,
    arguments: {
      verb: required(oneOf('get', 'set', 'edit', 'history', 'rollback'), 'Action'),
      changes: optional(listOf(text), 'With set: FIELD=VALUE; the value is JSON or text'),
    },
    options: {
      ...signature,
      ...period,
      file: optional(fileName, 'With set: fields as JSON; - reads stdin'),
      steps: optional(integer, 'With rollback: number of changes to revert (default 1)'),
      payload: optional(flag, 'With history: show the whole configuration of each change'),
    },
    completers: {
      changes: async ({ values: [verb] }) =>
        verb === 'set' ? Object.keys(fieldsOf(config.schema) ?? {}).map((name) => `${name}=`) : [],
    },
    shorts: { file: 'f' },
    writes: 'change',
    reads: {
      verb: ['get', 'history'],
      changes: [],
      author: [],
      comment: [],
      file: [],
      steps: [],
    },
    columns: historyColumns,
    async run(context, { args: { verb, changes = [] }, options }) {
      const { author, comment, interval, count, file, steps = 1, payload } = options;
      const headers = {
        ...(author !== undefined && { author }),
        ...(comment !== undefined && { comment }),
      };
      if (verb !== 'set' && (changes.length > 0 || file !== undefined))
        throw new UsageError(
          'FIELD=VALUE and --file are for set',
          `svcctl config ${config.name} set FIELD=VALUE`,
        );
      switch (verb) {
        case 'get':
          return context.out.document((await config.get(context.call)) ?? {});
        case 'set':
          return change(
            context,
            config,
            await checkNames(context, config, await changesIn(context, changes, file)),
            headers,
          );
        case 'edit':
          return edit(context, config, headers);
        case 'history':
          return history(
            context,
            config,
            { ...(interval !== undefined && { interval }), ...(count !== undefined && { count }) },
            payload,
          );
        case 'rollback':
          return rollBack(context, config, steps, headers);
      }
    },
  });

interface Change extends AuditEntry {
  readonly changed: string; // field names
}

const historyColumns = columnsOf<Change>({
  time: { value: ({ auditTime }) => auditTime, kind: 'time' },
  author: ({ auditInfo }) => auditInfo.author,
  comment: ({ auditInfo }) => auditInfo.comment,
  changed: ({ changed }) => changed,
  ip: { value: ({ auditInfo }) => auditInfo.ip, wide: true },
});

async function changesIn(
  { io }: Context,
  changes: readonly string[],
  file: string | undefined,
): Promise<Document> {
  const fromFile = file === undefined ? {} : await readJson(anyObject, file, io);
  const fields = changes.map((change) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(change) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`[${change}] is not a FIELD=VALUE`, 'an example: maxSegmentsToMove=100');
    return [name, valueIn(value)] as const;
  });
  const all = { ...fromFile, ...Object.fromEntries(fields) };
  if (Object.keys(all).length === 0)
    throw new UsageError('Nothing to set', 'give FIELD=VALUE, or --file');
  return all;
}

// The service silently ignores unknown fields. A newer service may have fields that are unknown to
// svcctl.
async function checkNames(
  { call }: Context,
  config: DynamicConfig,
  changes: Document,
): Promise<Document> {
  const declared = Object.keys(fieldsOf(config.schema) ?? {});
  if (declared.length === 0) return changes; // any object is allowed
  const names = [...new Set([...declared, ...Object.keys((await config.get(call)) ?? {})])];
  const unknown = Object.keys(changes).find((name) => !names.includes(name));
  if (unknown === undefined) return changes;
  const near = nearest(unknown, names);
  throw new UsageError(
    `Field [${unknown}] does not exist: there are ${names.join(', ')}`,
    near && `did you mean ${near}?`,
  );
}

function valueIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

async function change(
  { call, out, dryRun }: Context,
  config: DynamicConfig,
  fields: Document,
  headers: Values<typeof signature>,
) {
  const before = (await config.get(call)) ?? {};
  const body = config.isPartial ? fields : { ...before, ...fields };
  await config.set(call, checkChange(config, body), headers);
  if (dryRun) return;
  if (Object.entries(fields).every(([name, value]) => isSame(before[name], value)))
    out.note(`The configuration of ${config.what} already has these values: nothing was changed.`);
  else
    out.changed(
      config.name,
      `The configuration of ${config.what} is changed.`,
      commandLine`svcctl config ${config.name} history`,
    );
}

async function edit(
  context: Context,
  { name, what }: DynamicConfig,
  headers: Values<typeof signature>,
) {
  const [{ edit }, { configArea: area }] = await Promise.all([
    import('../shared/configuration/edit.ts'),
    import('../shared/configuration/config-area.ts'),
  ]);
  await edit(context, {
    area,
    name,
    what: `The configuration of ${what}`,
    empty: {},
    signature: headers,
    next: commandLine`svcctl config ${name} get`,
  });
}

async function history(
  { call, out }: Context,
  config: DynamicConfig,
  query: Values<typeof period>,
  withPayload: true | boolean | undefined,
) {
  const entries = await config.history(call, query);
  const oldestFirst =
    query.count !== undefined && query.interval === undefined ? [...entries].reverse() : entries;
  const changes = oldestFirst.map((entry, at) => ({
    ...entry,
    changed: fieldsChanged(oldestFirst[at - 1], entry),
  }));
  if (withPayload)
    return out.document(
      changes.map(({ changed: _, ...entry }) => ({ ...entry, payload: documentIn(entry) })),
    );
  await out.rows(changes.reverse(), historyColumns);
}

function fieldsChanged(before: AuditEntry | undefined, after: AuditEntry): string {
  if (!before) return '';
  const [old, now] = [documentIn(before), documentIn(after)];
  return Object.keys({ ...old, ...now })
    .filter((name) => formatJson(old[name] ?? null) !== formatJson(now[name] ?? null))
    .join(' ');
}

async function rollBack(
  context: Context,
  config: DynamicConfig,
  steps: number,
  headers: Values<typeof signature>,
) {
  const { call, confirm } = context;
  if (steps < 1)
    throw new UsageError(
      `Invalid value for --steps: [${steps}] is less than 1`,
      'an example: --steps 1',
    );
  const entry = (await config.history(call, { count: steps + 1 }).catch(noSuchCount))[steps];
  if (!entry)
    throw new CommandError(
      'notFound',
      `The history of ${config.what} does not reach back ${steps} ${steps === 1 ? 'change' : 'changes'}`,
      commandLine`svcctl config ${config.name} history`,
    );
  await confirm({
    level: 'change',
    what: `Set the configuration of ${config.what} to that of ${entry.auditTime}`,
    name: config.name,
  });
  const old = Object.fromEntries(
    Object.entries(documentIn(entry)).filter(([, value]) => value !== null),
  );
  await change(context, config, old, { comment: `back to ${entry.auditTime}`, ...headers });
}

const noSuchCount = (error: unknown): AuditEntry[] => {
  if (error instanceof Error && 'status' in error && error.status === 404) return [];
  throw error;
};

const documentIn = ({ payload }: AuditEntry): Document =>
  check(anyObject, parseJson(payload ?? '{}'));

function checkChange({ schema }: DynamicConfig, body: Document): Document {
  try {
    check(schema, body);
    return body;
  } catch (error) {
    throw error instanceof Mismatch
      ? new UsageError(
          `Field [${error.field}]: ${error.problem}`,
          'svcctl help dynamic-config explains the fields',
        )
      : error;
  }
}

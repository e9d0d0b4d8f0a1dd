// Journal of changes for `svcctl undo`: one JSON line per change. Only the owner can read the file,
// because specifications may hold secrets. Loaded with the first change of a command.
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CallEndpoint } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { areas, namesOf } from '../../contract/index.ts';
import {
  type GivenRequest,
  type Inverse,
  inverses,
  type SentRequest,
} from '../../contract/inverses.ts';
import {
  anyObject,
  check,
  flag,
  listOf,
  object,
  optional,
  text,
  type Value,
} from '../../contract/schema.ts';
import { sortKeys } from '../../model/difference.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { CommandError, strangeLine } from '../process/errors.ts';
import type { Settings } from '../process/flags.ts';
import type { Io } from '../process/io.ts';
import { withLock } from '../process/lock.ts';
import { stateFolder } from '../process/paths.ts';
import { sentencesOn } from '../terminal/wrapped.ts';

export type JournalEntry = Value<typeof entry>;
export type JournalStep = Value<typeof step>;
export type Left = Value<typeof left>;

const step = object({ endpoint: text, given: anyObject });

const left = object({ says: text, see: optional(text, 'The command that shows it') });

const entry = object({
  run: text, // all changes of one command
  time: text,
  url: text,
  service: text,
  // tasks.shutdown, or the request itself when the contract has no endpoint for it: POST /svc/x
  endpoint: text,
  names: listOf(text), // the changed objects
  undo: optional(listOf(step), 'The requests that undo it'),
  reason: optional(text, 'Why nothing does'),
  leaves: optional(listOf(left), 'Effects of the change that remain after the undo'),
  state: optional(step, 'The request that reads the current state'),
  after: optional(text, 'Digest of the reply'),
  unsure: optional(flag, 'The service did not report the outcome'),
});

const mark = object({ undone: text, by: text });

export interface Journal {
  readonly entries: readonly JournalEntry[]; // the oldest first
  readonly undone: ReadonlyMap<string, string>; // undone run to undoing run
}

type AnyCall = (endpoint: Endpoint, given?: object) => Promise<unknown>;

/** The id of this process's run. */
export const thisRun = `${Date.now().toString(36)}${randomBytes(2).toString('hex')}`;

// Once for many changes of a kind.
const warned = new Set<string>();

function warn(reason: string, { io, settings }: Where): void {
  if (!io.stderr.isTTY || settings.quiet || warned.has(reason)) return;
  warned.add(reason);
  io.stderr.write(sentencesOn(io.stderr, [`svcctl undo cannot revert this: ${reason}`]));
}

/** Makes a change and records its inverse. A refused change is not recorded. */
export const recordCall = (
  call: CallEndpoint,
  endpoint: Endpoint,
  given: GivenRequest = {},
  where: Where,
): Promise<unknown> =>
  recordAs(call, endpoint, given, where, () => (call as AnyCall)(endpoint, given));

/** The same for a change that is not made by a call. */
export async function recordAs<T>(
  call: CallEndpoint,
  endpoint: Endpoint,
  given: GivenRequest,
  where: Where,
  change: () => Promise<T>,
): Promise<T> {
  const ask = call as AnyCall;
  const inverse = inverseOf(endpoint);
  if (inverse === undefined) return change();
  const told = { endpoint: nameOf(endpoint), names: Object.values(given.params ?? {}).map(String) };
  const reason = inverse.unless?.(given);
  if (reason !== undefined) {
    warn(reason, where);
    return recordChange(change(), async () => ({ ...told, reason }), where);
  }
  const asked = inverse.state?.(given);
  const before = await stateOf(ask, asked);
  return recordChange(
    orMadeAnyway(ask, inverse, given, change),
    async (reply) => {
      if (before === unknown) return { ...told, reason: 'the previous state could not be read' };
      const after = await stateOf(ask, asked);
      if (after === unknown && inverse.isWide)
        return { ...told, reason: 'the current state could not be read' };
      const undo = inverse.undo(given, before, after === unknown ? undefined : after, reply);
      if (typeof undo === 'string') return { ...told, reason: undo };
      if (undo.length === 0) return;
      const state =
        asked && !inverse.isWide && after !== unknown
          ? { state: asStep(asked), after: digestOf(after) }
          : {};
      const leaves = inverse.leaves?.(given, before) ?? [];
      return {
        ...told,
        undo: undo.map(asStep),
        ...(leaves.length > 0 && { leaves: leaves.map((one) => ({ ...one })) }),
        ...state,
      };
    },
    where,
  );
}

async function orMadeAnyway<T>(
  ask: AnyCall,
  { madeAnyway }: Inverse,
  given: GivenRequest,
  change: () => Promise<T>,
): Promise<T> {
  if (!madeAnyway) return change();
  const asked = madeAnyway.state(given);
  const before = await stateOf(ask, asked);
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 500 || before === unknown) throw error;
    const after = await stateOf(ask, asked);
    const reply = after === unknown ? undefined : madeAnyway.replyOf(given, before, after);
    if (reply === undefined) throw error;
    return reply as T;
  }
}

/** The reason why a request outside the contract cannot be undone. */
export const unknownRequest = 'svcctl does not know what this path does';

/**
 * Sends a request outside the contract. The journal entry omits the query, which may hold a secret.
 */
export function recordUnknown<T>(
  { method, path }: { readonly method: string; readonly path: string },
  where: Where,
  change: () => Promise<T>,
): Promise<T> {
  warn(unknownRequest, where);
  return recordChange(
    change(),
    async () => ({
      endpoint: `${method} ${path.replace(/\?.*/s, '')}`,
      names: [],
      reason: unknownRequest,
    }),
    where,
  );
}

interface Where {
  readonly io: Pick<Io, 'env' | 'stderr'>;
  readonly settings: Pick<Settings, 'url' | 'service' | 'quiet'>;
}

type Told = Pick<
  JournalEntry,
  'endpoint' | 'names' | 'undo' | 'reason' | 'leaves' | 'state' | 'after'
>;

async function recordChange<T>(
  change: Promise<T>,
  tell: (result: T | undefined) => Promise<Told | undefined>,
  where: Where,
): Promise<T> {
  const time = new Date().toISOString(); // taken before the service can process the change
  const outcome = await change.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof ServiceError) throw outcome.error;
  try {
    const told = await tell('result' in outcome ? outcome.result : undefined);
    if (told) await append(where, { time, ...told, ...('error' in outcome && { unsure: true }) });
  } catch (error) {
    if ('result' in outcome)
      where.io.stderr.write(
        sentencesOn(where.io.stderr, [
          `warning: The change was made, but it could not be written to the journal of svcctl undo: ${(error as Error).message}`,
        ]),
      );
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

const unknown = Symbol('what cannot be read');

async function stateOf(ask: AnyCall, asked: SentRequest | undefined): Promise<unknown> {
  if (!asked) return;
  try {
    return (await ask(...asked)) ?? undefined;
  } catch (error) {
    return error instanceof ServiceError && error.status === 404 ? undefined : unknown;
  }
}

/** Whether the changed state is unchanged since this entry; true when it cannot be read. */
export async function isStillSo(
  call: CallEndpoint,
  { state, after }: JournalEntry,
): Promise<boolean> {
  if (!state || after === undefined) return true;
  const now = await stateOf(call as AnyCall, [endpointNamed(state.endpoint), state.given]);
  return now === unknown || digestOf(now) === after;
}

const digestOf = (state: unknown) =>
  createHash('sha256')
    .update(formatJson(sortKeys(state ?? null)))
    .digest('hex');

/** An endpoint by its name in the contract. */
export function endpointNamed(name: string): Endpoint {
  const [area = '', endpoint = ''] = name.split('.');
  const found = areas[area]?.[endpoint];
  if (!found)
    throw new CommandError(
      'failed',
      `This version of svcctl does not know [${name}]`,
      'a newer version of svcctl wrote the journal: use that version',
    );
  return found;
}

/** A change in words: the summary of its endpoint, or the request when there is no endpoint. */
export const summaryOf = ({ endpoint }: Pick<JournalEntry, 'endpoint'>): string =>
  /^[A-Z]+ \//.test(endpoint) ? endpoint : endpointNamed(endpoint).summary;

/** Whether a planned change can be undone: `yes`, or `no` with the reason. */
export const undoLabel = (endpoint: Endpoint, given: GivenRequest = {}): string => {
  const inverse = inverseOf(endpoint);
  const reason = inverse ? inverse.unless?.(given) : 'nothing is known that does';
  return reason === undefined ? 'yes' : `no: ${reason}`;
};

/** Whether an endpoint changes something; POST endpoints may only read. */
export const isChange = (endpoint: Endpoint): boolean => inverses.has(endpoint);

function inverseOf(endpoint: Endpoint): Inverse | undefined {
  const inverse = inverses.get(endpoint);
  return typeof inverse === 'string' ? { unless: () => inverse, undo: () => inverse } : inverse;
}

const nameOf = (endpoint: Endpoint) => namesOf.get(endpoint) ?? endpoint.path;

const asStep = ([endpoint, given]: SentRequest): JournalStep => ({
  endpoint: nameOf(endpoint),
  given: { ...given },
});

async function append(
  { io: { env }, settings: { url, service } }: Where,
  told: Told & Pick<JournalEntry, 'time' | 'unsure'>,
): Promise<void> {
  await write(env, { run: thisRun, url, service, ...told });
}

/** Records that this run has undone another run. */
export const markUndone = (env: NodeJS.ProcessEnv, run: string): Promise<void> =>
  write(env, { undone: run, by: thisRun });

async function write(env: NodeJS.ProcessEnv, line: object): Promise<void> {
  const file = fileIn(env);
  mkdirSync(stateFolder(env), { recursive: true, mode: 0o700 });
  await withLock(`${file}.lock`, async () => {
    appendFileSync(file, `${formatJson(line)}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
    if (statSync(file).size > mostBytes) shorten(file);
  });
}

// Delete the older half: users undo recent changes.
function shorten(file: string): void {
  const all = readFileSync(file, 'utf8').split('\n');
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, all.slice(Math.ceil(all.length / 2)).join('\n'), { mode: 0o600 });
  renameSync(aside, file);
}

const mostBytes = 4_000_000;

/**
 * All journal entries. A line that a crash cut off is skipped; any other unreadable line is an
 * error.
 */
export function readJournal(env: NodeJS.ProcessEnv): Journal {
  const [entries, undone] = [[] as JournalEntry[], new Map<string, string>()];
  const all = textOf(env).split('\n');
  for (const [at, line] of all.entries()) {
    if (line === '') continue;
    try {
      const value = parseJson(line);
      if (typeof value === 'object' && value !== null && 'undone' in value) {
        const { undone: run, by } = check(mark, value);
        undone.set(run, by);
      } else entries.push(check(entry, value));
    } catch {
      if (at === all.length - 1) continue;
      throw strangeLine(fileIn(env), at + 1, 'change');
    }
  }
  return { entries, undone };
}

function textOf(env: NodeJS.ProcessEnv): string {
  try {
    return readFileSync(fileIn(env), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new CommandError(
      'failed',
      `File [${fileIn(env)}] cannot be read: ${(error as Error).message}`,
    );
  }
}

const fileIn = (env: NodeJS.ProcessEnv) => join(stateFolder(env), 'journal.jsonl');

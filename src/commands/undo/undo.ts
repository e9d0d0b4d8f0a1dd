import { type Completer, type Context, command } from '../../cli/command/command.ts';
import {
  isStillSo,
  type Journal,
  type JournalEntry,
  type Left,
  markUndone,
  readJournal,
  summaryOf,
  thisRun,
} from '../../cli/command/journal.ts';
import { columnsOf, formatDuration } from '../../cli/lists/columns.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { flag, optional, text } from '../../contract/schema.ts';
import { commandLine, quoteWord } from '../../model/shell-text.ts';
import { countOfSegments } from '../shared/segments/segment-selection.ts';
import { findDroppedSince } from './dropped-segments.ts';
import { sendStep, useAgain } from './send-step.ts';

/** All changes of one command. */
interface Run {
  readonly id: string;
  readonly time: string;
  readonly state: 'open' | 'undone' | 'partly' | 'cannot';
  readonly what: string;
  readonly url: string;
  readonly reason?: string;
  readonly entries: readonly JournalEntry[];
}

const columns = columnsOf<Omit<Run, 'entries'>>({
  id: ({ id }) => id,
  time: { value: ({ time }) => time, kind: 'time' },
  undo: { value: ({ state }) => state, kind: 'state' },
  what: ({ what }) => what,
  reason: { value: ({ reason }) => reason, wide: true },
  url: { value: ({ url }) => url, wide: true },
});

export const undo = command({
  summary: 'Undo changes made with svcctl',
  description:
    'svcctl records each change that it makes on this machine, with its inverse: the last 4 MB, in $XDG_STATE_HOME/svcctl/journal.jsonl, which only its owner can read. Without an id, the last change at this service is undone. Nothing is sent when somebody else has changed the same resource since (exit code 5), unless --force is given. Changes that cannot be undone are announced beforehand, by --dry-run and on a terminal. Segments that rules have dropped since the change are marked used again. Consequences that stay are listed afterwards: rows that a supervisor has read, compaction that has started.',
  examples: ['svcctl undo --list', 'svcctl undo --dry-run', 'svcctl undo --yes'],
  arguments: { id: optional(text, 'Change id from --list (default: the last change)') },
  options: {
    list: optional(flag, 'List changes, newest first'),
    force: optional(flag, 'Undo even if the object has changed since'),
  },
  completers: { id: openRuns },
  writes: 'change',
  reads: { list: [true], id: [], force: [] },
  columns: 'dynamic',
  async run(context, { args: { id }, options: { list, force } }) {
    const { out, io, settings } = context;
    const runs = runsIn(readJournal(io.env));
    const here = runs.filter(({ url }) => url === settings.url);
    if (list && id !== undefined) throw new UsageError('--list takes no id', 'svcctl undo --list');
    if (list)
      return out.rows(
        here.map(({ entries, ...run }) => ({ ...run, changes: entries.map(inWords) })),
        columns,
      );
    const run =
      id === undefined ? lastOf(here, readJournal(io.env)) : findRun(runs, id, settings.url);
    await takeBack(context, run, force === true);
  },
});

function lastOf(runs: readonly Run[], { undone }: Journal): Run {
  const redoing = new Set(undone.values());
  const run = runs.find(({ id, state }) => !redoing.has(id) && state !== 'undone');
  if (!run)
    throw new CommandError(
      'notFound',
      'No change made on this machine at this service can be undone',
      'svcctl undo --list shows the changes',
    );
  // Undoing an older run instead would be a surprise.
  if (run.state === 'cannot')
    throw new CommandError(
      'refused',
      `The last change, ${run.what}, cannot be undone: ${run.reason}`,
      'choose an older one from svcctl undo --list',
    );
  return run;
}

function findRun(runs: readonly Run[], id: string, url: string): Run {
  const run = runs.find((one) => one.id === id);
  if (!run)
    throw new CommandError(
      'notFound',
      `Change [${id}] does not exist`,
      'svcctl undo --list shows all changes',
    );
  if (run.url !== url)
    throw new CommandError(
      'refused',
      `Change [${id}] was made at [${run.url}], not at [${url}]`,
      `--url ${quoteWord(run.url)}`,
    );
  if (run.state === 'undone')
    throw new CommandError(
      'conflict',
      `Change [${id}] has already been undone`,
      'svcctl undo --list',
    );
  if (run.state === 'cannot')
    throw new CommandError('refused', `Change [${id}] cannot be undone: ${run.reason}`);
  return run;
}

async function takeBack(context: Context, run: Run, isForced: boolean): Promise<void> {
  const { call, confirm, out, io, dryRun } = context;
  const newestFirst = run.entries.toReversed();
  for (const entry of newestFirst) {
    if (isForced || (await isStillSo(call, entry))) continue;
    throw new CommandError(
      'conflict',
      `It was changed again since change [${run.id}]: ${inWords(entry)}; nothing was sent`,
      'check it, or undo it anyway with --force',
    );
  }
  const ago = formatDuration(Date.now() - Date.parse(run.time));
  out.note(`Change [${run.id}], ${ago} ago: ${run.what}`);
  if (run.state === 'partly') out.warn(`Some of it cannot be undone: ${run.reason}`);
  const steps = newestFirst.flatMap(({ undo = [] }) => undo);
  const dropped = await findDroppedSince(context, steps, Date.parse(run.time));
  const again = dropped.reduce((sum, { since }) => sum + since.length, 0);
  if (again > 0)
    out.note(
      `${countOfSegments(again)} that the rules have dropped since ${again === 1 ? 'is' : 'are'} marked used, too`,
    );
  await confirm({ level: 'change', what: `Undo change [${run.id}]`, name: run.id });
  const left: Left[] = [];
  for (const step of steps) left.push(...(await sendStep(call, step, run.id)));
  for (const some of dropped) left.push(...(await useAgain(call, some)));
  if (dryRun) return;
  await markUndone(io.env, run.id);
  const isWhole = left.length === 0 && run.state !== 'partly';
  for (const { leaves = [] } of run.entries) for (const one of leaves) out.note(sentenceOf(one));
  for (const one of left) out.warn(sentenceOf(one));
  out.changed(
    run.id,
    `Change [${run.id}] is undone${isWhole ? '' : ', except for the parts listed above'}.`,
    redoIn(io.env),
  );
}

// This run's own change can be undone like any other.
function redoIn(env: NodeJS.ProcessEnv): string {
  const own = runsIn(readJournal(env)).find(({ id }) => id === thisRun);
  return own?.state === 'open'
    ? commandLine`svcctl undo ${own.id} redoes it`
    : 'svcctl undo --list';
}

const sentenceOf = ({ says, see }: Left) => (see === undefined ? says : `${says}: ${see}`);

// The newest first.
async function openRuns({ io, resolved }: Parameters<Completer>[0]): Promise<readonly string[]> {
  const runs = runsIn(readJournal(io.env)).filter(
    ({ url, state }) => url === resolved.settings.url && (state === 'open' || state === 'partly'),
  );
  return runs.map(({ id }) => id);
}

function runsIn({ entries, undone }: Journal): Run[] {
  return [...group(entries)].flatMap(([id, all]) => runOf(id, all, undone.has(id))).reverse();
}

function runOf(id: string, entries: readonly JournalEntry[], isUndone: boolean): Run[] {
  const [first, ...rest] = entries;
  if (!first) return [];
  const reason = entries.find((entry) => entry.reason !== undefined)?.reason;
  const can = entries.some((entry) => entry.undo !== undefined);
  const state = isUndone ? 'undone' : !can ? 'cannot' : reason === undefined ? 'open' : 'partly';
  const what = `${inWords(first)}${rest.length > 0 ? `, and ${rest.length} more` : ''}`;
  return [
    {
      id,
      time: first.time,
      state,
      what,
      url: first.url,
      ...(reason !== undefined && { reason }),
      entries,
    },
  ];
}

function group(entries: readonly JournalEntry[]): Map<string, JournalEntry[]> {
  const found = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const known = found.get(entry.run);
    if (known) known.push(entry);
    else found.set(entry.run, [entry]);
  }
  return found;
}

function inWords(entry: JournalEntry): string {
  const { names, unsure } = entry;
  return `${summaryOf(entry)}${names.length > 0 ? `: ${names.join(', ')}` : ''}${unsure ? ' (perhaps)' : ''}`;
}

import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { Interrupted, ServiceError, Unreachable } from '../../client/errors.ts';
import { signature } from '../../contract/audit.ts';
import { folderName, optional, text } from '../../contract/schema.ts';
import { isSame } from '../../model/difference.ts';
import type { Area, AreaSignature, Cluster } from '../shared/configuration/area.ts';
import { areas, clusterOf } from '../shared/configuration/areas.ts';
import { desiredDocument, desiredOf, digestOf } from '../shared/configuration/changes.ts';
import {
  areasNamed,
  completesAreas,
  type Live,
  liveEndpoints,
  liveOptions,
  readLive,
} from '../shared/configuration/live.ts';
import { makePlan, planEndpoints, planOptions } from './make-plan.ts';
import { summaryOf } from './plan.ts';
import { type Plan, type PlannedChange, readPlan } from './plan-file.ts';
import { enforce, readPolicy } from './policy.ts';

interface Result {
  readonly area: string;
  readonly name: string;
  readonly change: PlannedChange['kind'];
  readonly result: 'done' | 'unchanged' | 'failed' | 'not tried';
  readonly reason?: string;
}

const columns = columnsOf<Result>({
  area: ({ area }) => area,
  name: ({ name }) => name,
  change: { value: ({ change }) => change, kind: 'state' },
  result: { value: ({ result }) => result, kind: 'state' },
  reason: ({ reason }) => reason,
});

export const apply = command({
  summary: 'Apply a plan or a folder of files',
  description:
    'Applies a plan that svcctl plan --out has written, or makes one now with --dir. Nothing is sent when the cluster differs from what the plan has seen (exit code 5). Resources that already have the wanted state are skipped, so a failed apply can be repeated. Roles are changed before users and rules before supervisors; deletions come last, in the opposite order. The service records author and comment for rules, configurations, compaction and lookups.',
  examples: [
    'svcctl apply plan.json --comment "keep a year" --yes',
    'svcctl apply --dir cluster --prune --policy policy.yaml --yes',
  ],
  endpoints: [...liveEndpoints, ...planEndpoints, ...areas.flatMap(({ writes }) => [...writes])],
  arguments: { plan: optional(text, 'Plan file; - reads stdin') },
  options: {
    dir: optional(folderName, 'Folder of files, instead of a plan'),
    ...planOptions,
    ...signature,
    ...liveOptions,
  },
  ...completesAreas,
  shorts: { dir: 'd' },
  formerly: { dir: { name: 'files', short: 'f' } },
  writes: 'destroy',
  columns: 'dynamic',
  hints: { conflict: 'see the differences with svcctl diff, and make a new plan' },
  async run(context, { args: { plan: planFile }, options }) {
    const { out, settings } = context;
    const { dir: folder, prune = false, policy, author, comment, only, ...lists } = options;
    if ((planFile === undefined) === (folder === undefined))
      throw new UsageError('Use either a plan or --dir', 'svcctl apply --dir DIR');
    if (planFile !== undefined && prune)
      throw new UsageError(
        '--prune requires --dir: a plan already contains its removals',
        'svcctl plan --prune makes one that does',
      );
    const limits = policy === undefined ? undefined : readPolicy(policy);
    const cluster = clusterOf(context, lists);
    const named = areasNamed(only);
    const whole =
      folder === undefined
        ? await readPlan(planFile ?? '-', context.io)
        : await makePlan(context, cluster, { folder, prune, ...(only !== undefined && { only }) });
    const plan = {
      ...whole,
      changes: whole.changes.filter(({ area }) => named.some(({ name }) => name === area)),
    };
    if (limits && policy !== undefined) enforce(limits, policy, plan, out.warn);
    if (plan.url !== settings.url)
      out.note(`The plan was made for [${plan.url}], but the service is [${settings.url}].`);
    const touched = named.filter(({ name }) => plan.changes.some(({ area }) => area === name));
    const live = await readLive(cluster, touched, context);
    const steps = inOrder(plan.changes.map((change) => stepOf(change, live)));
    refuseConflicts(steps);
    if (steps.some(({ isDone }) => !isDone)) await confirmPlan(context, plan, steps);
    const results = await carryOut(context, cluster, steps, {
      ...(author !== undefined && { author }),
      ...(comment !== undefined && { comment }),
    });
    await out.rows(results, columns);
    return conclude(context, results);
  },
});

interface Step {
  readonly area: Area;
  readonly change: PlannedChange;
  readonly live: unknown;
  readonly isDone: boolean; // the cluster is in the desired state already
  readonly isConflict: boolean;
}

function stepOf(change: PlannedChange, live: Live): Step {
  const area = areas.find(({ name }) => name === change.area);
  const things = live.get(change.area);
  if (!area || !things)
    throw new CommandError('failed', `The service has no ${change.area} now; nothing was changed`);
  const has = things.get(change.name);
  const isDone =
    change.kind === 'removed'
      ? has === undefined
      : has !== undefined &&
        isSame(area.normal(has, change.name), desiredOf(area, change.name, change.document, has));
  return {
    area,
    change,
    live: has,
    isDone,
    isConflict: !isDone && digestOf(area, change.name, has) !== change.before,
  };
}

// Changes first, in the order of the areas; then removals, in reverse order.
function inOrder(steps: readonly Step[]): readonly Step[] {
  const by = (sign: number) => (one: Step, other: Step) =>
    sign * (areas.indexOf(one.area) - areas.indexOf(other.area));
  const removes = ({ change }: Step) => change.kind === 'removed';
  return [
    ...steps.filter((step) => !removes(step)).sort(by(1)),
    ...steps.filter(removes).sort(by(-1)),
  ];
}

function refuseConflicts(steps: readonly Step[]): void {
  const names = steps
    .filter(({ isConflict }) => isConflict)
    .map(({ change: { area, name } }) => `${area} [${name}]`);
  if (names.length > 0)
    throw new CommandError(
      'conflict',
      `Changed since the plan was made: ${names.join(', ')}; nothing was sent`,
    );
}

async function confirmPlan(
  { confirm, settings, resolved }: Context,
  plan: Plan,
  steps: readonly Step[],
): Promise<void> {
  const todo = steps.filter(({ isDone }) => !isDone);
  const isLost = todo.some(
    ({ area, change }) => change.kind === 'removed' && area.isLostWhenRemoved,
  );
  const what = `${summaryOf({ ...plan, changes: todo.map(({ change }) => change) })}, at [${settings.url}]`;
  await confirm({
    level: isLost ? 'destroy' : 'change',
    what,
    name: resolved.profileName ?? new URL(settings.url).host,
  });
}

async function carryOut(
  context: Context,
  cluster: Cluster,
  steps: readonly Step[],
  headers: AreaSignature,
): Promise<Result[]> {
  const results: Result[] = [];
  let stopped: string | undefined;
  for (const step of steps) {
    const { area, name, kind } = step.change;
    const row = { area, name, change: kind };
    if (context.signal.aborted) stopped ??= 'interrupted';
    if (step.isDone) results.push({ ...row, result: 'unchanged' });
    else if (stopped !== undefined) results.push({ ...row, result: 'not tried', reason: stopped });
    else {
      const error = await send(cluster, step, headers);
      results.push({
        ...row,
        result: error ? 'failed' : 'done',
        ...(error && { reason: error.message }),
      });
      if (error instanceof Unreachable || error instanceof Interrupted) stopped = error.message;
    }
  }
  return results;
}

async function send(
  cluster: Cluster,
  { area, change, live }: Step,
  headers: AreaSignature,
): Promise<Error | undefined> {
  try {
    if (change.kind === 'removed') await area.remove?.(cluster, change.name, live, headers);
    else
      await area.set(
        cluster,
        change.name,
        { document: desiredDocument(area, change.document, live), live },
        headers,
      );
    return;
  } catch (error) {
    if (
      error instanceof ServiceError ||
      error instanceof Unreachable ||
      error instanceof Interrupted
    )
      return error;
    throw error;
  }
}

function conclude({ out, dryRun }: Context, results: readonly Result[]) {
  if (dryRun) return;
  const count = (result: Result['result']) => results.filter((row) => row.result === result).length;
  const [done, bad] = [count('done'), count('failed') + count('not tried')];
  if (bad === 0)
    return out.note(
      done === 0
        ? 'The cluster is already in the desired state: nothing was changed.'
        : `${done} done.`,
    );
  out.note(
    `${done} done, ${count('failed')} failed, ${count('not tried')} not tried: run the same command again to continue.`,
  );
  return exitCodes.failed;
}

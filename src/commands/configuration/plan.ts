import { command } from '../../cli/command/command.ts';
import { type Cell, columnsOf, formatBytes } from '../../cli/lists/columns.ts';
import { fileName, optional } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { clusterOf } from '../shared/configuration/areas.ts';
import { completesAreas, liveEndpoints, liveOptions } from '../shared/configuration/live.ts';
import { type Amount, shareOf, type Touched } from '../shared/configuration/touched.ts';
import { dir, makePlan, planEndpoints, planOptions } from './make-plan.ts';
import { type Plan, type PlannedChange, writePlan } from './plan-file.ts';
import { enforce, readPolicy } from './policy.ts';

const someOf = (kind: keyof Touched) => (change: PlannedChange) =>
  (change.touched[kind] as Amount).segments || null;

const columns = columnsOf<PlannedChange>({
  area: ({ area }) => area,
  name: ({ name }) => name,
  change: { value: ({ kind }) => kind, kind: 'state' },
  fields: ({ kind, differences }): Cell => (kind === 'changed' ? differences.length : null),
  dropped: someOf('dropped'),
  loaded: someOf('loaded'),
  moved: someOf('moved'),
  compacted: someOf('compacted'),
  size: { value: ({ touched }) => bytesIn(touched) || null, kind: 'bytes' },
});

export const plan = command({
  summary: 'Plan changes from files and show their impact on segments',
  description:
    'Changes nothing. Segments are evaluated with the rules before and after: dropped, loaded, moved to other tiers or numbers of copies. All segments of a datasource whose compaction changes count as compacted. --out writes the plan for svcctl apply, which refuses it when the cluster has changed meanwhile. A policy is a YAML file with any of maxChanges, maxDroppedSegments, maxDroppedBytes, maxDroppedShare (0 to 1), forbidRemoval (areas) and forbidChange (resources, as in rules/_default or supervisors/*).',
  examples: [
    'svcctl plan --dir cluster',
    'svcctl plan --dir cluster --policy policy.yaml --out plan.json',
  ],
  endpoints: [...liveEndpoints, ...planEndpoints],
  options: {
    dir,
    out: optional(fileName, 'Write the plan to this file'),
    ...planOptions,
    ...liveOptions,
  },
  ...completesAreas,
  shorts: { dir: 'd' },
  formerly: { dir: { name: 'files', short: 'f' } },
  columns: 'dynamic',
  async run(
    context,
    { options: { dir: folder, out: file, prune = false, policy, only, ...lists } },
  ) {
    const { out } = context;
    const limits = policy === undefined ? undefined : readPolicy(policy);
    const made = await makePlan(context, clusterOf(context, lists), {
      folder,
      prune,
      ...(only !== undefined && { only }),
    });
    await out.rows(made.changes, columns);
    out.note(summaryOf(made));
    if (limits && policy !== undefined) enforce(limits, policy, made, out.warn);
    if (file === undefined) return;
    writePlan(file, made);
    out.changed(file, `The plan is in [${file}].`, commandLine`svcctl apply ${file}`);
  },
});

/**
 * The plan as a sentence: `3 changes: 2 added, 1 removed; 12 segments (3.4 MiB, 40 % of the
 * cluster) are dropped`.
 */
export function summaryOf({
  changes,
  touched,
  cluster,
}: Pick<Plan, 'changes' | 'touched' | 'cluster'>): string {
  if (changes.length === 0) return 'Nothing would change: the cluster matches the files.';
  const kinds = (['added', 'changed', 'removed'] as const)
    .map((kind) => [changes.filter((change) => change.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`);
  const amounts = (['dropped', 'loaded', 'moved', 'compacted'] as const).flatMap((kind) => {
    const amount = touched[kind];
    if (amount.segments === 0) return [];
    const share = `${(100 * shareOf(amount, cluster)).toFixed(1).replace(/\.0$/, '')} % of the cluster`;
    return [
      `${amount.segments} ${amount.segments === 1 ? 'segment' : 'segments'} (${formatBytes(amount.bytes)}, ${share}) ${kind}`,
    ];
  });
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${[kinds.join(', '), ...amounts].join('; ')}`;
}

const bytesIn = ({ dropped, loaded, moved, compacted }: Touched) =>
  [dropped, loaded, moved, compacted].reduce((sum, { bytes }) => sum + Number(bytes), 0);

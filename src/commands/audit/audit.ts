import { command } from '../../cli/command/command.ts';
import { durationIn } from '../../cli/input/duration.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import { listOf, oneOf, optional, text } from '../../contract/schema.ts';
import { type Difference, differences } from '../../model/difference.ts';
import { formatJson } from '../../model/json.ts';
import { hasMask, maskAt } from '../../model/secrets.ts';
import { historyEndpoints, type Recorded, sources } from './sources.ts';

/** One change of one object. */
interface Audited extends Omit<Recorded, 'document' | 'isSnapshot' | 'isInitial'> {
  readonly area: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly differences: readonly Difference[]; // without secrets
  readonly isMasked: boolean; // the service masks secrets in it and hides their changes
}

const columns = columnsOf<Audited>({
  time: { value: ({ time }) => time, kind: 'time' },
  area: ({ area }) => area,
  name: ({ name }) => name,
  change: { value: ({ change }) => change, kind: 'state' },
  author: ({ author }) => author,
  what: ({ differences, isMasked }) => inWords(differences, isMasked),
  comment: ({ comment }) => comment,
  ip: { value: ({ ip }) => ip, wide: true },
});

const defaultSince = '30d';

export const audit = command({
  summary: 'Show all configuration changes in one timeline, with author and comment',
  description:
    'Merges the histories of rules, dynamic configurations, compaction and supervisors, newest first. Each change lists the fields that it changed. Settings that all datasources share for compaction have the name *; they are known since the first datasource was configured. Datasources that had a compaction configuration but have no segments are not listed by the service; name them with --name. The service records no author for supervisors.',
  examples: [
    'svcctl audit',
    'svcctl audit --since 7d --area rules --area config --output json',
    `svcctl audit --where 'author = "me"' --limit 10`,
  ],
  endpoints: historyEndpoints,
  options: {
    since: optional(text, `Only changes since then: 90m, 7d, or an ISO time (${defaultSince})`),
    area: optional(
      listOf(oneOf(...(Object.keys(sources) as (keyof typeof sources)[]))),
      'Only this area; may be repeated',
    ),
    name: optional(text, 'Only entries of this datasource, supervisor or configuration'),
  },
  columns,
  async run({ call, out }, { options: { since = defaultSince, area: wanted, name } }) {
    const sinceMs = momentOf(since, Date.now());
    const found: Audited[] = [];
    const lacking: string[] = [];
    for (const [area, { read, normal }] of Object.entries(sources)) {
      if (wanted && !wanted.some((one) => one === area)) continue;
      try {
        found.push(...inOrder(area, await read({ call, out }, name), normal));
      } catch (error) {
        if (!(error instanceof ServiceError) || !(error.isLacking || error.status === 404))
          throw error;
        lacking.push(area);
      }
    }
    const meant = name === undefined ? found : found.filter((one) => one.name === name);
    const recent = meant.filter(({ time }) => Date.parse(time) >= sinceMs);
    await out.rows(
      recent.sort((one, other) => (one.time < other.time ? 1 : -Number(one.time !== other.time))),
      columns,
    );
    if (lacking.length > 0)
      out.note(`Left out: ${lacking.join(', ')}. The service does not store this history.`);
    const older = meant.length - recent.length;
    if (older > 0)
      out.note(
        `${older} older ${older === 1 ? 'change is' : 'changes are'} not shown; set the start with --since.`,
      );
  },
});

// Each change is compared with the previous one of the same object. The first one has no known
// predecessor.
function inOrder(
  area: string,
  records: readonly Recorded[],
  normal: (document: unknown, name: string) => unknown,
): Audited[] {
  const before = new Map<string, unknown>();
  const oldestFirst = [...records].sort((one, other) =>
    one.time < other.time ? -1 : Number(one.time !== other.time),
  );
  return oldestFirst.flatMap(({ document, isSnapshot, isInitial, ...record }) => {
    const { name } = record;
    const [was, is] = [
      before.get(name),
      document === undefined ? undefined : normal(document, name),
    ];
    const isFirst = !before.has(name);
    before.set(name, is);
    if (isFirst ? isInitial : isSnapshot && differences(was, is).length === 0) return [];
    const shown = differences(was, is).map(({ path, ...sides }) => ({
      path,
      ...Object.fromEntries(
        Object.entries(sides).map(([side, value]) => [side, maskAt(path, value)]),
      ),
    }));
    const change = is === undefined ? 'removed' : was === undefined ? 'added' : 'changed';
    return { area, ...record, change, differences: shown, isMasked: hasMask(is) };
  });
}

function momentOf(since: string, now: number): number {
  const duration = durationIn(since);
  const time = duration === undefined ? Date.parse(since) : now - duration;
  if (Number.isNaN(time))
    throw new UsageError(
      `Invalid value for --since: [${since}] is neither a time nor an age`,
      'examples: 90m, 7d, 2024-05-01',
    );
  return time;
}

function inWords(all: readonly Difference[], isMasked: boolean): string {
  if (all.length === 0)
    return isMasked ? 'no visible change; a masked value may have changed' : 'the same again';
  return all
    .map(({ path, before, after }) =>
      [path, [formatAuditValue(before), formatAuditValue(after)].filter(Boolean).join(' -> ')]
        .filter(Boolean)
        .join(': '),
    )
    .join(', ');
}

const formatAuditValue = (value: unknown) =>
  value === undefined ? '' : typeof value === 'string' ? value : formatJson(value);

import { type Context, command } from '../../cli/command/command.ts';
import { durationIn } from '../../cli/input/duration.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { type RetentionRuleBody, rules } from '../../contract/rules.ts';
import { anything, fileName, listOf, optional, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { boundariesOf, isDrop, isLoaded, rulesAt } from '../../model/retention-rule.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { checkRules } from '../shared/rules/check-rules.ts';
import { completers, dataSource } from './datasource.ts';
import { type CountedInterval, findUsedIntervals } from './used-intervals.ts';

interface Outcome {
  readonly at: string;
  readonly place: number;
  readonly type: string;
  readonly range: string | undefined;
  readonly segments: number;
  readonly size: number;
  readonly effect: 'load' | 'drop' | 'keep';
}

const columns = columnsOf<Outcome>({
  at: { value: ({ at }) => at, kind: 'time' },
  rule: ({ place, type }) => (place === 0 ? 'none' : `${place} ${type}`),
  range: { value: ({ range }) => range, show: formatIntervalCell },
  segments: ({ segments }) => segments,
  size: { value: ({ size }) => size, kind: 'bytes' },
  effect: ({ effect }) => effect,
});

export const preview = command({
  summary: 'Preview the effect of retention rules on existing segments',
  description:
    'Changes nothing. Each segment is evaluated with the rules in their order: those of the datasource first, then the default rules.',
  examples: [
    'svcctl rules preview wikipedia',
    'svcctl rules preview wikipedia --file new.json --at now,+30d,+1y',
  ],
  endpoints: [rules.get, sql.query],
  arguments: dataSource,
  completers,
  shorts: { file: 'f' },
  options: {
    file: optional(fileName, 'New rules as JSON instead of the current ones; - reads stdin'),
    at: optional(
      listOf(text),
      'Times to evaluate: now, +30d, +1y or an ISO time, separated by commas',
    ),
  },
  columns,
  async run(context, { args: { dataSource }, options: { file, at = ['now'] } }) {
    const { call, io, out } = context;
    const times = at.flatMap((given) => given.split(',')).map(timeIn);
    const own = file === undefined ? undefined : checkRules(await readJson(anything, file, io));
    const all = own
      ? [...own, ...(await defaultRules(context))]
      : await call(rules.get, { params: { dataSource }, query: { full: true } });
    const tallies = times.map((time) => tallyAt(all, time));
    const boundaries = times
      .flatMap((time) => boundariesOf(all, time))
      .sort((one, other) => one - other);
    const used = await findUsedIntervals(context, dataSource, boundaries);
    if (used.length === 0) await checkKnown(context, dataSource);
    for (const counted of used) for (const { add } of tallies) add(counted);
    await out.rows(
      tallies.flatMap(({ outcomes }) => outcomes()),
      columns,
    );
  },
});

const defaultRules = ({ call }: Context) => call(rules.get, { params: { dataSource: '_default' } });

// Rules that match no segment are shown, too: a rule that never applies is usually a mistake.
function tallyAt(all: readonly RetentionRuleBody[], timeMs: number) {
  const counts = new Map<RetentionRuleBody | undefined, { segments: number; size: number }>(
    [...all, undefined].map((rule) => [rule, { segments: 0, size: 0 }]),
  );
  const ruleOf = rulesAt(all, timeMs);
  const at = new Date(timeMs).toISOString();
  return {
    add({ interval, segments, size }: CountedInterval) {
      const count = counts.get(ruleOf(interval));
      if (!count) return;
      count.segments += segments;
      count.size += size;
    },
    outcomes: () =>
      [...counts].flatMap(([rule, count], index): Outcome[] => {
        if (!rule && count.segments === 0) return [];
        const effect = !rule ? 'keep' : isDrop(rule) ? 'drop' : isLoaded(rule) ? 'load' : 'keep';
        return [
          {
            at,
            place: rule ? index + 1 : 0,
            type: rule?.type ?? 'none',
            range: rule?.period ?? rule?.interval,
            ...count,
            effect,
          },
        ];
      }),
  };
}

function timeIn(given: string): number {
  const later = /^\+(.+)$/
    .exec(given)?.[1]
    ?.replace(/(\d+)y/, (_, years: string) => `${Number(years) * 365}d`);
  const time =
    given === 'now'
      ? Date.now()
      : later === undefined
        ? Date.parse(given)
        : Date.now() + (durationIn(later) ?? Number.NaN);
  if (Number.isNaN(time))
    throw new UsageError(
      `Invalid value for --at: [${given}] is not a time`,
      'examples: now, +30d, +1y, 2027-01-01',
    );
  return time;
}

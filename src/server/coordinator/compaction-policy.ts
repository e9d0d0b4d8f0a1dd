// Order of compaction: the cluster's `compactionPolicy` (Druid: CompactionCandidateSearchPolicy and
// its implementations; api-reference/automatic-compaction-api).
import { parseBytes } from '../../model/byte-size.ts';
import { contains, formatInterval, type Interval, parseInterval } from '../../model/interval.ts';
import { Refusal } from '../checks/refusals.ts';
import { SpecFields, type SpecValues } from '../checks/spec-fields.ts';
import type { Candidate } from './compaction-candidates.ts';
import { unreadablePolicy } from './refusals.ts';

/** A complete policy, in the form that is stored and shown. */
export type CompactionPolicy = { readonly type: Type; readonly [field: string]: unknown };

type Type = 'newestSegmentFirst' | 'fixedIntervalOrder' | 'mostFragmentedFirst';

/** Reads a policy and fills in defaults. Refuses an unknown type and invalid values. */
export function completePolicy(given: SpecValues): CompactionPolicy {
  try {
    const fields = new SpecFields(given, 'compactionPolicy');
    const type = fields.type('CompactionCandidateSearchPolicy', types);
    return { type, ...complete[type](fields) };
  } catch (error) {
    throw error instanceof Refusal ? unreadablePolicy(error.message) : error;
  }
}

/**
 * The candidates that await compaction in the order of a policy, and separately those that it
 * rejects, as skipped ones with a reason. Other candidates are ignored.
 */
export function chooseByPolicy(
  policy: CompactionPolicy,
  candidates: readonly Candidate[],
): { readonly chosen: readonly Candidate[]; readonly left: ReadonlyMap<Candidate, Candidate> } {
  const { rejects, compare } = searches[policy.type](policy);
  const waiting = candidates.filter(({ state }) => state === 'awaiting');
  const left = new Map(
    waiting.flatMap((candidate): [Candidate, Candidate][] => {
      const reason = rejects(candidate);
      return reason === undefined
        ? []
        : [
            [
              candidate,
              { ...candidate, state: 'skipped', reason: `Rejected by search policy: ${reason}` },
            ],
          ];
    }),
  );
  return { chosen: waiting.filter((candidate) => !left.has(candidate)).sort(compare), left };
}

const types: readonly Type[] = ['fixedIntervalOrder', 'mostFragmentedFirst', 'newestSegmentFirst'];

// ── As they are stored ───────────────────────────────────────────────────────────────────────────

const complete: Readonly<Record<Type, (fields: SpecFields) => SpecValues>> = {
  newestSegmentFirst: (fields) => ({
    priorityDatasource: fields.optionalText('priorityDatasource') ?? null,
  }),
  fixedIntervalOrder(fields) {
    if (!fields.has('eligibleCandidates')) fields.refuse('[eligibleCandidates] must not be null');
    const eligibleCandidates = fields.objects('eligibleCandidates').map((one) => ({
      datasource: one.text('datasource'),
      interval: formatInterval(one.interval('interval')),
    }));
    return { eligibleCandidates };
  },
  mostFragmentedFirst(fields) {
    const minUncompactedCount = fields.integer('minUncompactedCount', 100);
    if (minUncompactedCount <= 0)
      fields.refuse(`'minUncompactedCount'[${minUncompactedCount}] must be greater than 0`);
    const maxAverageUncompactedBytesPerSegment = bytesIn(
      fields,
      'maxAverageUncompactedBytesPerSegment',
      2 * 1024 ** 3,
    );
    if (maxAverageUncompactedBytesPerSegment <= 0)
      fields.refuse("'maxAverageUncompactedBytesPerSegment'[0] must be greater than 0");
    return {
      minUncompactedCount,
      minUncompactedBytes: bytesIn(fields, 'minUncompactedBytes', 10 * 1024 ** 2),
      maxAverageUncompactedBytesPerSegment,
      priorityDatasource: fields.optionalText('priorityDatasource') ?? null,
    };
  },
};

function bytesIn(fields: SpecFields, name: string, defaultValue: number): number {
  const given = fields.optionalText(name);
  const bytes = given === undefined ? defaultValue : parseBytes(given);
  return bytes ?? fields.refuse(`Invalid format of number: ${given}`);
}

// ── How they search ──────────────────────────────────────────────────────────────────────────────

interface Search {
  /** The reason not to compact a candidate; undefined to compact it. */
  rejects(candidate: Candidate): string | undefined;
  compare(a: Candidate, b: Candidate): number;
}

const searches: Readonly<Record<Type, (policy: CompactionPolicy) => Search>> = {
  newestSegmentFirst: ({ priorityDatasource }) => ({
    rejects: () => undefined,
    compare: (a, b) => byPriority(priorityDatasource, a, b) || newestFirst(a, b),
  }),
  // The position of a candidate is the first listed interval that contains it.
  fixedIntervalOrder({ eligibleCandidates }) {
    const listed = (eligibleCandidates as readonly { datasource: string; interval: string }[]).map(
      ({ datasource, interval }) => ({
        datasource,
        interval: parseInterval(interval),
      }),
    );
    const place = (candidate: Candidate) =>
      listed.findIndex(
        ({ datasource, interval }) =>
          datasource === candidate.dataSource && contains(interval, dataIn(candidate)),
      );
    return {
      rejects: (candidate) =>
        place(candidate) < 0
          ? "Datasource/Interval is not in the list of 'eligibleCandidates'"
          : undefined,
      compare: (a, b) => place(a) - place(b),
    };
  },
  mostFragmentedFirst(policy) {
    const [least, leastBytes, mostAverage] = [
      policy.minUncompactedCount,
      policy.minUncompactedBytes,
      policy.maxAverageUncompactedBytesPerSegment,
    ].map(Number) as [number, number, number];
    // Many segments increase the score, and small segments more so.
    const fragmentation = ({ uncompacted }: Candidate) => {
      const average = Math.max(1, Math.floor(bytesOf(uncompacted) / uncompacted.length));
      return uncompacted.length + (least * mostAverage) / average;
    };
    return {
      rejects({ uncompacted }) {
        const bytes = bytesOf(uncompacted);
        const average = Math.floor(bytes / uncompacted.length);
        if (uncompacted.length < least)
          return `Uncompacted segments[${uncompacted.length}] in interval must be at least [${least}]`;
        if (bytes < leastBytes)
          return `Uncompacted bytes[${bytes}] in interval must be at least [${leastBytes}]`;
        return average > mostAverage
          ? `Average size[${average}] of uncompacted segments in interval must be at most [${mostAverage}]`
          : undefined;
      },
      compare: (a, b) =>
        byPriority(policy.priorityDatasource, a, b) ||
        Math.trunc(fragmentation(b) - fragmentation(a)),
    };
  },
};

const byPriority = (first: unknown, a: Candidate, b: Candidate) =>
  Number(b.dataSource === first) - Number(a.dataSource === first);

const newestFirst = (a: Candidate, b: Candidate) =>
  b.interval.start - a.interval.start || b.interval.end - a.interval.end;

const bytesOf = (segments: Candidate['segments']) =>
  segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

// From the first segment to the last, which may be less than the configured time chunk.
const dataIn = ({ segments }: Candidate): Interval => ({
  start: Math.min(...segments.map(({ interval }) => interval.start)),
  end: Math.max(...segments.map(({ interval }) => interval.end)),
});

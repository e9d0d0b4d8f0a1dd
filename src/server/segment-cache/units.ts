// Units of the segment cache: neighbouring segments whose rows share one table.
import type { ColumnStatistics } from '../../sql/catalog.ts';
import type { SegmentRecord } from '../storage/segments.ts';

/** The segments of a datasource whose rows are in one table, in the order of their rows. */
export interface Unit {
  readonly name: string;
  readonly dataSource: string;
  readonly members: readonly Member[];
  readonly statistics: Readonly<Record<string, ColumnStatistics>>; // by DuckDB's name of the column
}

/** A segment as it was when its rows were copied. */
export interface Member {
  readonly id: string;
  readonly createdMs: number;
  readonly sizeBytes: number; // of its Parquet file
  readonly numRows: number;
}

export interface UnitPlan {
  readonly drops: readonly Unit[];
  readonly builds: readonly UnitBuild[]; // the newest segments first
}

export interface UnitBuild {
  readonly segments: readonly SegmentRecord[];
  readonly replaces: readonly Unit[]; // dropped after it
}

/** Whether the rows of a segment are those of a member. */
export const isMember = (member: Member, segment: SegmentRecord): boolean =>
  member.id === segment.id &&
  member.createdMs === segment.createdMs &&
  member.sizeBytes === segment.sizeBytes;

/**
 * The changes after which the units of a datasource hold its `segments`, which ascend by time. A
 * unit that has lost half of its rows is dropped. New segments join a smaller neighbour before
 * them, so that each row is copied a logarithmic number of times. Runs of few rows stay without a
 * unit.
 */
export function planUnits(segments: readonly SegmentRecord[], units: readonly Unit[]): UnitPlan {
  const known = new Map(segments.map((segment) => [segment.id, segment]));
  const isLive = (unit: Unit) => rowsIn(segmentsOf(unit, known)) * 2 > rowsIn(unit.members);
  const live = units.filter(isLive);
  const unitOf = new Map(
    live.flatMap((unit) => segmentsOf(unit, known).map((segment) => [segment, unit] as const)),
  );
  const builds: UnitBuild[] = [];
  let before: Unit[] = []; // the units before the run, the nearest last
  let run: SegmentRecord[] = [];
  const settle = () => {
    if (run.length > 0) {
      const build = withNeighbours(run, before, known);
      if (rowsIn(build.segments) >= leastRows) builds.unshift(build);
    }
    before = [];
    run = [];
  };
  let last: SegmentRecord | undefined;
  for (const segment of segments) {
    const unit = unitOf.get(segment);
    const isBreak = last?.columns !== segment.columns || (run.length > 0 && unit);
    if (isBreak || !fits([...run, segment])) settle();
    last = segment;
    if (!unit) run.push(segment);
    else if (before.at(-1) !== unit) before.push(unit);
  }
  settle();
  return { drops: units.filter((unit) => !live.includes(unit)), builds };
}

function withNeighbours(
  run: readonly SegmentRecord[],
  before: readonly Unit[],
  known: ReadonlyMap<string, SegmentRecord>,
): UnitBuild {
  let segments = run;
  const replaces: Unit[] = [];
  for (const unit of [...before].reverse()) {
    const own = segmentsOf(unit, known);
    if (rowsIn(own) > 2 * rowsIn(segments) || !fits([...own, ...segments])) break;
    replaces.push(unit);
    segments = [...own, ...segments];
  }
  return { segments, replaces };
}

const segmentsOf = ({ members }: Unit, known: ReadonlyMap<string, SegmentRecord>) =>
  members.flatMap((member) => {
    const segment = known.get(member.id);
    return segment && isMember(member, segment) ? [segment] : [];
  });

const rowsIn = (segments: readonly { readonly numRows: number }[]) =>
  segments.reduce((sum, { numRows }) => sum + numRows, 0);

const fits = (segments: readonly SegmentRecord[]) =>
  segments.length === 1 ||
  (segments.length <= mostMembers &&
    rowsIn(segments) <= mostRows &&
    segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= mostBytes);

const leastRows = 10_000; // Parquet is as fast for fewer
const mostRows = 2_000_000;
const mostMembers = 500;
const mostBytes = 256 * 1024 ** 2;

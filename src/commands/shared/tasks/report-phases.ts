// Report of a native batch task as rows: the row counts of each phase.
import { columnsOf } from '../../../cli/lists/columns.ts';
import type { ProgressState } from '../../../cli/output/progress-state.ts';
import type { TaskReports } from '../../../contract/tasks.ts';

type Report = NonNullable<TaskReports['ingestionStatsAndErrors']>;

export interface PhaseRow {
  readonly phase: string;
  readonly processed: number | undefined;
  readonly bytes: number | undefined;
  readonly withErrors: number | undefined; // ingested, but with an unreadable field
  readonly unparseable: number | undefined;
  readonly thrownAway: number | undefined;
}

export const phaseColumns = columnsOf<PhaseRow>({
  phase: (row) => row.phase,
  processed: (row) => row.processed,
  withErrors: (row) => row.withErrors,
  unparseable: (row) => row.unparseable,
  thrownAway: (row) => row.thrownAway,
  bytes: { value: (row) => row.bytes, kind: 'bytes' },
});

const names = ['determinePartitions', 'buildSegments'] as const;

/** Parallel tasks have their counts under `totals`. */
export function phasesIn({ payload }: Report): readonly PhaseRow[] {
  const stats = objectIn(payload, 'rowStats') ?? {};
  const totals = { ...stats, ...objectIn(stats, 'totals') };
  return names.flatMap((phase) => {
    const row = objectIn(totals, phase);
    if (!row) return [];
    const { processed, processedBytes, processedWithError, unparseable, thrownAway } = row;
    return [
      {
        phase,
        processed: numberIn(processed),
        bytes: numberIn(processedBytes),
        withErrors: numberIn(processedWithError),
        unparseable: numberIn(unparseable),
        thrownAway: numberIn(thrownAway),
      },
    ];
  });
}

export function progressOfPhases(report: Report): ProgressState {
  const last = phasesIn(report).at(-1);
  const { ingestionState } = report.payload;
  return {
    ...(typeof ingestionState === 'string' && {
      stage: ingestionState.toLowerCase().replaceAll('_', ' '),
    }),
    ...(last?.processed !== undefined && { rows: last.processed }),
    ...(last?.bytes !== undefined && { bytes: last.bytes }),
  };
}

const numberIn = (value: unknown) => (typeof value === 'number' ? value : undefined);

function objectIn(
  from: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const value = from[name];
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

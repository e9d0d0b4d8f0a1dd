// Report of an SQL task as rows and as progress: the amounts that each stage has read and written,
// summed over its workers.
import { columnsOf } from '../../../cli/lists/columns.ts';
import type { ProgressState } from '../../../cli/output/progress-state.ts';
import { barOf, marksFor } from '../../../cli/terminal/marks.ts';
import type { Value } from '../../../contract/schema.ts';
import type { stagesAndCounters } from '../../../contract/tasks.ts';

export interface StageRow {
  readonly stage: number;
  readonly processor: string | undefined;
  readonly phase: string;
  readonly workers: number | undefined;
  readonly partitions: number | undefined;
  readonly rowsIn: number | undefined;
  readonly rowsOut: number | undefined;
  readonly bytes: number | undefined; // read
  readonly files: readonly [read: number, all: number] | undefined;
  readonly started: string | undefined;
  readonly durationMs: number | undefined;
  readonly fraction: number; // 0 to 1
  readonly isSource: boolean; // reads an input of the statement, not only other stages
}

export const stageColumns = columnsOf<StageRow>({
  stage: (row) => row.stage,
  processor: { value: (row) => row.processor, wide: true },
  phase: { value: (row) => row.phase, kind: 'state' },
  progress: {
    value: (row) => Math.floor(row.fraction * 100) / 100,
    show: (cell) => drawBar(Number(cell)),
  },
  workers: (row) => row.workers,
  partitions: { value: (row) => row.partitions, wide: true },
  rowsIn: (row) => row.rowsIn,
  rowsOut: (row) => row.rowsOut,
  bytes: { value: (row) => row.bytes, kind: 'bytes' },
  started: { value: (row) => row.started, kind: 'time', wide: true },
  duration: { value: (row) => row.durationMs, kind: 'duration' },
});

const drawBar = (fraction: number) =>
  `${barOf(fraction, 8, marksFor(process.env))} ${String(Math.floor(fraction * 100)).padStart(3)} %`;

export function stagesIn({
  payload: { stages, counters },
}: {
  payload: Value<typeof stagesAndCounters>;
}): readonly StageRow[] {
  const rows = (stages ?? []).map((stage): Counted => {
    const named = Object.values(counters?.[stage.stageNumber] ?? {}).flatMap((worker) =>
      Object.entries(worker),
    );
    const inputs = named.filter(([name]) => name.startsWith('input')).map(([, counter]) => counter);
    const output = named.filter(([name]) => name === 'output').map(([, counter]) => counter);
    const segments = named
      .filter(([name]) => name === 'segmentGenerationProgress')
      .map(([, counter]) => counter);
    const [files, totalFiles] = [sumOf(inputs, 'files'), sumOf(inputs, 'totalFiles')];
    return {
      stage: stage.stageNumber,
      processor:
        typeof stage.definition.processor.type === 'string'
          ? stage.definition.processor.type
          : undefined,
      phase: stage.phase ?? 'NEW',
      workers: stage.workerCount ?? undefined,
      partitions: stage.partitionCount ?? undefined,
      rowsIn: sumOf(inputs, 'rows'),
      rowsOut: sumOf(segments, 'rowsPushed') ?? sumOf(output, 'rows'),
      bytes: sumOf(inputs, 'bytes'),
      files: totalFiles === undefined ? undefined : [files ?? 0, totalFiles],
      started: stage.startTime ?? undefined,
      durationMs: stage.duration ?? undefined,
      isSource: stage.definition.input.some(({ type }) => type !== 'stage'),
    };
  });
  return rows.map((row, at) => ({ ...row, fraction: fractionOf(row, rows[at - 1]) }));
}

/** The progress over all stages, with equal weights. */
export function progressOf(stages: readonly StageRow[]): ProgressState {
  const at = stages.findLastIndex(({ phase }) => phase !== 'NEW');
  const current = stages[at];
  if (!current) return { stage: 'planning' };
  const sources = stages.filter(({ isSource }) => isSource);
  const rows = sumOf(
    sources.map(({ rowsIn }) => ({ rowsIn })),
    'rowsIn',
  );
  const bytes = sumOf(
    sources.map((source) => ({ bytes: source.bytes })),
    'bytes',
  );
  const done = stages.reduce((sum, { fraction }) => sum + fraction, 0);
  return {
    stage: done >= stages.length ? 'publishing' : wordsOf(current),
    fraction: done / stages.length,
    ...(rows && { rows }),
    ...(bytes && { bytes }),
  };
}

const words: Readonly<Record<string, string>> = {
  scan: 'reading the input',
  groupByPreShuffle: 'aggregating',
  groupByPostShuffle: 'aggregating',
  sortMergeJoin: 'joining',
  window: 'computing windows',
  limit: 'sorting',
  offsetLimit: 'sorting',
  segmentGenerator: 'writing segments',
  exportResults: 'writing files',
  queryResult: 'writing the result',
};

function wordsOf({ processor = '', phase, isSource }: StageRow): string {
  if (phase === 'FAILED') return 'failed';
  if (isSource && phase !== 'READING_INPUT' && processor === 'scan') return 'sorting';
  return words[processor] ?? phase.toLowerCase().replaceAll('_', ' ');
}

type Counted = Omit<StageRow, 'fraction'>;

function fractionOf({ phase, files, rowsIn }: Counted, before: Counted | undefined): number {
  if (['RESULTS_READY', 'RESULTS_COMPLETE', 'FINISHED'].includes(phase)) return 1;
  if (phase === 'NEW' || phase === 'FAILED') return 0;
  if (phase !== 'READING_INPUT') return 0.9;
  if (files && files[1] > 0) return (0.9 * files[0]) / files[1];
  return before?.rowsOut && rowsIn !== undefined
    ? Math.min(0.9, (0.9 * rowsIn) / before.rowsOut)
    : 0;
}

/**
 * The sum of a field over the counters of one name, in all stages and workers; undefined without
 * such counters.
 */
export function counterSum(
  { counters }: Value<typeof stagesAndCounters>,
  name: string,
  field: string,
): number | undefined {
  const ofWorkers = Object.values(counters ?? {}).flatMap((workers) => Object.values(workers));
  return sumOf(
    ofWorkers.flatMap(({ [name]: counter }) => (counter ? [counter] : [])),
    field,
  );
}

// Counters of channels hold a number for each partition.
function sumOf(
  counters: readonly Readonly<Record<string, unknown>>[],
  name: string,
): number | undefined {
  const numbers = counters.flatMap((counter) => counter[name] ?? []).map(Number);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0);
}

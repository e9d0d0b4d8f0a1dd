// Stages for the joins of a query (Druid: multi-stage-query/reference, "Joins"). In a broadcast
// join, the right side is read first, and every worker has all of it. In a sort-merge join, both
// sides are shuffled by their keys. DuckDB chooses its own join method: the limits are those of a
// cluster, so that queries can run there, too.
import type { JoinSide, SelectStatement, StatementJoin } from '../../../sql/statement.ts';
import { isFailedCalculation } from '../../engine/refusals.ts';
import type { Session } from '../../engine/session.ts';
import { broadcastTooLarge, tooManyRowsWithSameKey } from '../../statements/faults.ts';
import {
  channel,
  type MultiStageReportBuilder,
  type SignatureColumn,
  type Stage,
} from './report.ts';
import type { QuerySettings } from './settings.ts';

type Input = Readonly<Record<string, unknown>>;

/** The stage that reads a source of the statement, and its index among the inputs. */
export interface SourcePlace {
  readonly stage: Stage;
  readonly input: number;
}

export interface JoinStages {
  readonly inputs: readonly Input[]; // of the stage with the rest of the query
  readonly broadcast: readonly number[]; // indexes of inputs that all of its workers have
  /** The place of an external input; `rest` is the stage with the rest of the query. */
  placeOf(source: string, rest: Stage): SourcePlace;
  /** The files of the joined sides, each with the place of its tables. */
  readonly reads: readonly (SourcePlace & { readonly files: readonly string[] })[];
  /**
   * Reads the sides and counts their rows. Fails with QueryFailed when they exceed the limits of
   * joins. External inputs must be loaded.
   */
  read(session: Session, memoryBytes: number): Promise<void>;
  /** Ends the stages of the joins, after the rows of the query have been computed. */
  end(): void;
}

/**
 * Adds the stages of a statement's joins to the report. `inputOf` returns the report's entry for a
 * source.
 */
export function addJoinStages(
  { joins }: SelectStatement,
  sources: ReadonlyMap<string, Input>,
  settings: QuerySettings,
  report: MultiStageReportBuilder,
): JoinStages {
  const places = new Map<string, SourcePlace>();
  const sides: ReadSide[] = [];
  const merging: MergedJoin[] = [];
  const left = new Map(sources); // remaining sources, for the last stage
  let outer: Input[] = []; // stages without a reader so far
  const broadcast = new Set<Input>();
  const addSide = (side: JoinSide, shuffles: boolean): ReadSide => {
    const own = side.sources.filter((source) => left.has(source));
    const partitions = settings.maxWorkers;
    const columns = side.keys.map(({ name }) => ({ columnName: name, order: 'ASCENDING' }));
    const signature: SignatureColumn[] = [];
    const stage = report.addStage({
      input: own.map((source): Input => left.get(source) ?? {}),
      processor: { type: 'scan' },
      signature,
      shuffle: shuffles ? { type: 'hash', clusterBy: { columns }, partitions } : { type: 'mix' },
      sorts: shuffles && columns.length > 0,
      maxWorkers: settings.maxWorkers,
    });
    for (const [input, source] of own.entries()) {
      places.set(source, { stage, input });
      left.delete(source);
    }
    const read = {
      side,
      stage,
      number: report.stages.length - 1,
      signature,
      externs: countExterns(own.map((source) => sources.get(source) ?? {})),
    };
    sides.push(read);
    return read;
  };
  for (const join of joins) {
    if (!sorts(join, settings)) {
      const { number } = addSide(join.right, false);
      const input = { type: 'stage', stage: number };
      outer.push(input);
      broadcast.add(input);
      continue;
    }
    // The result of an inner join is shuffled as it is computed.
    const inner = merging.find((other) => join.left.join === other.join);
    const mine = inner?.number ?? addSide(join.left, true).number;
    const right = addSide(join.right, true);
    const input = [mine, right.number].map((stage) => ({ type: 'stage', stage }));
    const stage = report.addStage({
      input,
      processor: { type: 'sortMergeJoin', rightPrefix: 'j0.', joinType: join.joinType },
      signature: [],
      maxWorkers: settings.maxWorkers,
    });
    const number = report.stages.length - 1;
    merging.push({ join, stage, number });
    outer = [...outer.filter((given) => given.stage !== mine), { type: 'stage', stage: number }];
  }
  const inputs = [...left.values(), ...outer];
  return {
    inputs,
    broadcast: inputs.flatMap((input, index) => (broadcast.has(input) ? [index] : [])),
    placeOf: (source, rest) =>
      places.get(source) ?? { stage: rest, input: [...left.keys()].indexOf(source) },
    reads: sides.map(({ side, stage, externs }) => ({ files: side.files, stage, input: externs })),
    async read(session, memoryBytes) {
      for (const side of sides) await unlessFailed(readSide(session, side));
      const broadcastBytes = sides.filter(({ number }) =>
        [...broadcast].some(({ stage }) => stage === number),
      );
      const total = broadcastBytes.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
      const maxBytes = Math.floor(memoryBytes * broadcastShare);
      if (total > maxBytes) throw broadcastTooLarge(maxBytes, settings.joinAlgorithm);
      for (const { join, stage } of merging) {
        await unlessFailed(checkKeys(session, join));
        stage.start();
      }
    },
    end() {
      for (const { stage } of merging) stage.end();
    },
  };
}

// A join that cannot be sorted by a key is a broadcast join, whatever was requested (Druid:
// DataSourcePlan.canUseSortMergeJoin).
const sorts = ({ isEquality }: StatementJoin, { joinAlgorithm }: QuerySettings) =>
  joinAlgorithm === 'sortMerge' && isEquality;

// A calculation that fails for rows of one side alone need not fail in the query, which may omit
// these rows: the query decides.
const unlessFailed = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    if (!isFailedCalculation(error)) throw error;
  });

const broadcastShare = 0.3; // of the memory (Druid: WorkerMemoryParameters)

interface ReadSide {
  readonly side: JoinSide;
  readonly stage: Stage;
  readonly number: number;
  readonly signature: SignatureColumn[];
  readonly externs: number; // number of external inputs; they come before the tables
  bytes?: number;
}

interface MergedJoin {
  readonly join: StatementJoin;
  readonly stage: Stage;
  readonly number: number;
}

/** The number of external inputs. */
export const countExterns = (inputs: readonly Input[]): number =>
  inputs.filter(({ type }) => type === 'external').length;

async function readSide(session: Session, read: ReadSide): Promise<void> {
  const { side, stage, signature } = read;
  stage.start();
  for (const [name, type] of await session.rows(
    `DESCRIBE ${side.common}SELECT * FROM ${side.from}`,
  ))
    signature.push({ name: String(name), type: nativeTypeOf(String(type)) });
  const [[rows, bytes] = []] = await session.rows(
    `${side.common}SELECT count(*), coalesce(sum(${rowBytes}), 0)::BIGINT FROM ${side.from}`,
  );
  read.bytes = Number(bytes);
  stage.count('output', channel({ rows: Number(rows), bytes: read.bytes }));
  stage.end();
}

// Rows of one key are held together during the join: one side may have any number of them, if the
// other does not.
async function checkKeys(session: Session, { left, right }: StatementJoin): Promise<void> {
  const measureKeys = ({ from, keys }: JoinSide) =>
    `(SELECT ${[...keys.map(({ sql }, index) => `${sql} AS k${index}`), `sum(${rowBytes})::BIGINT AS bytes`].join(', ')} FROM ${from} GROUP BY ALL)`;
  const same = left.keys.map((_, index) => `l.k${index} = r.k${index}`).join(' AND ') || 'true';
  const found = await session.rows(
    `${left.common}SELECT least(l.bytes, r.bytes), ${left.keys.map((_, index) => `l.k${index}::VARCHAR`).join(', ') || 'NULL'} FROM ${measureKeys(left)} AS l JOIN ${measureKeys(right)} AS r ON ${same} WHERE l.bytes > ${maxKeyBytes} AND r.bytes > ${maxKeyBytes} LIMIT 1`,
  );
  const [row] = found;
  if (row)
    throw tooManyRowsWithSameKey(row.slice(1, 1 + left.keys.length), Number(row[0]), maxKeyBytes);
}

const maxKeyBytes = 10_000_000; // Druid: multi-stage-query/reference, "Limits"

const rowBytes = 'strlen(ROW(*COLUMNS(*))::VARCHAR)';

const nativeTypeOf = (type: string): string => {
  if (type.endsWith('[]')) return `ARRAY<${nativeTypeOf(type.slice(0, -2))}>`;
  return (
    {
      VARCHAR: 'STRING',
      BIGINT: 'LONG',
      INTEGER: 'LONG',
      BOOLEAN: 'LONG',
      DOUBLE: 'DOUBLE',
      FLOAT: 'FLOAT',
    }[type] ?? 'COMPLEX<json>'
  );
};

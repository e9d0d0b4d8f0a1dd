// The context parameters of SQL tasks (Druid: multi-stage-query/reference, "Context parameters").
import { Refusal } from '../../refusals.ts';

export interface QuerySettings {
  readonly maxNumTasks: number;
  readonly rowsPerSegment: number;
  readonly rowsPerPage: number;
  readonly maxParseExceptions: number;
  readonly maxPartitions: number;
  readonly failOnEmptyInsert: boolean;
  readonly waitUntilSegmentsLoad: boolean;
}

/** Reads the parameters that matter here; throws a Refusal for one of the wrong kind or size. */
export function settingsIn(context: Readonly<Record<string, unknown>>): QuerySettings {
  const maxNumTasks = integer(context, 'maxNumTasks', 2);
  if (maxNumTasks < 2) {
    throw new Refusal(
      'invalidInput',
      `Context maxNumTasks [${maxNumTasks}] cannot be less than 2, since at least 1 controller and 1 worker is necessary.`,
    );
  }
  const strict = context.mode === 'nonStrict' ? -1 : 0;
  return {
    maxNumTasks,
    rowsPerSegment: Math.max(1, integer(context, 'rowsPerSegment', 3_000_000)),
    rowsPerPage: Math.max(1, integer(context, 'rowsPerPage', 100_000)),
    maxParseExceptions: integer(context, 'maxParseExceptions', strict),
    maxPartitions: integer(context, 'maxPartitions', 25_000),
    failOnEmptyInsert: truth(context, 'failOnEmptyInsert'),
    waitUntilSegmentsLoad: truth(context, 'waitUntilSegmentsLoad'),
  };
}

function integer(context: Readonly<Record<string, unknown>>, name: string, usual: number): number {
  const value = context[name];
  if (value === undefined || value === null) return usual;
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw badValue(name, 'integer', value);
  return number;
}

function truth(context: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = context[name];
  if (value === undefined || value === null) return false;
  if (value === 'true' || value === 'false') return value === 'true';
  if (typeof value !== 'boolean') throw badValue(name, 'boolean', value);
  return value;
}

const badValue = (name: string, expected: string, value: unknown) =>
  new Refusal('invalidInput', `Expected key [${name}] to be in ${expected} format, but got [${String(value)}]`);

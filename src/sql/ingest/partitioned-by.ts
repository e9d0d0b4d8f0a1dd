// PARTITIONED BY: its allowed expressions and their granularities
// (docs/multi-stage-query/reference.md, "PARTITIONED BY").
import {
  type Granularity,
  granularityJson,
  granularityName,
  parseGranularity,
  periodGranularity,
} from '../../model/granularity.ts';
import { formatPeriod, isPeriodText, parsePeriod } from '../../model/period.ts';
import type { Call, Ingest } from '../ast.ts';
import { unparse } from '../parse/unparse.ts';
import { SqlError } from '../sql-error.ts';

/**
 * The granularity of the segments that a statement writes. Throws SqlError for a granularity that
 * segments cannot have.
 */
export function segmentGranularity(
  partitionedBy: NonNullable<Ingest['partitionedBy']>,
): Granularity {
  if (partitionedBy.kind === 'all') return { type: 'all' };
  if (partitionedBy.kind === 'unit') return parseGranularity(partitionedBy.unit);
  if (partitionedBy.kind === 'literal' && partitionedBy.type === 'string')
    return fromText(partitionedBy.text);
  if (partitionedBy.kind === 'call') return fromCall(partitionedBy);
  throw invalidGranularity(unparse(partitionedBy));
}

/** The granularity as ISO text (`P1D`), or `ALL`. */
export function granularityText(granularity: Granularity): string {
  return granularity.type === 'period' ? formatPeriod(granularity.period) : 'ALL';
}

/** As messages print it: `{type=period, period=P1D, timeZone=UTC, origin=null}`. */
export function granularityShown(granularity: Granularity): string {
  const parts = Object.entries(granularityJson(granularity)).map(
    ([key, value]) => `${key}=${String(value)}`,
  );
  return `{${parts.join(', ')}}`;
}

const allowed = [
  'SECOND',
  'MINUTE',
  'FIVE_MINUTE',
  'TEN_MINUTE',
  'FIFTEEN_MINUTE',
  'THIRTY_MINUTE',
  'HOUR',
  'SIX_HOUR',
  'EIGHT_HOUR',
  'DAY',
  'MONTH',
  'QUARTER',
  'YEAR',
  'ALL',
];

// WEEK works but is not recommended, so messages leave it out.
const isAllowed = (granularity: Granularity): boolean => {
  const name = granularityName(granularity);
  return name !== undefined && (allowed.includes(name) || name === 'WEEK');
};

function fromText(text: string): Granularity {
  if (text.toUpperCase() === 'ALL TIME') return { type: 'all' };
  return check(`'${text}'`, () =>
    isPeriodText(text) ? periodGranularity(parsePeriod(text)) : parseGranularity(text),
  );
}

// TIME_FLOOR(__time, 'P1D') and FLOOR(__time TO DAY).
function fromCall(call: Call): Granularity {
  const [time, period] = call.args;
  const isOnTime =
    time?.kind === 'identifier' && time.names.length === 1 && time.names[0] === '__time';
  if (call.name === 'FLOOR' && call.unit !== undefined) {
    if (!isOnTime)
      throw new SqlError('First argument to FLOOR in PARTITIONED BY clause can only be __time');
    return check(unparse(call), () => parseGranularity(call.unit));
  }
  if (call.name !== 'TIME_FLOOR') throw invalidGranularity(unparse(call));
  if (!isOnTime)
    throw new SqlError('First argument to TIME_FLOOR in PARTITIONED BY clause can only be __time');
  if (call.args.length !== 2 || period?.kind !== 'literal' || period.type !== 'string') {
    throw new SqlError(
      'Second argument to TIME_FLOOR in PARTITIONED BY clause must be a period like [PT1H]',
    );
  }
  const { text } = period;
  return check(`'${text}'`, () => periodGranularity(parsePeriod(text)));
}

function check(written: string, read: () => Granularity): Granularity {
  const granularity = attempt(read);
  if (!granularity || !isAllowed(granularity)) throw invalidGranularity(written);
  return granularity;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const invalidGranularity = (written: string) =>
  new SqlError(
    `Invalid granularity[${written}] specified after PARTITIONED BY clause. Expected ${allowed.map((name) => `'${name}'`).join(', ')}, ALL TIME, FLOOR() or TIME_FLOOR()`,
    { context: { sourceType: 'sql' } },
  );

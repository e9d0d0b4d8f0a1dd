// Reading and validation of a SQL request (the specification, "SQL request").
import { randomUUID } from 'node:crypto';
import { type ResultFormat, resultFormats, type SqlRequest, sqlTypes } from '../../contract/sql.ts';
import { InvalidTime } from '../../model/instant.ts';
import { type TimeZone, utc } from '../../model/period.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import type { BoundParameter } from '../../sql/translate/parameters.ts';
import { badContextValue, javaClassOf, wrongContextValue } from '../checks/context-values.ts';
import { checkContextSize } from '../configuration/broker-config.ts';
import type { ResultOptions } from './result-writer.ts';
import {
  queryIdNotText,
  typesWithoutHeader,
  unknownParameterType,
  unknownResultFormat,
} from './sql-refusals.ts';

export interface CheckedSqlRequest {
  readonly text: string;
  readonly queryId: string;
  readonly context: Readonly<Record<string, unknown>>; // with the query's id
  readonly parameters: readonly (BoundParameter | null)[];
  readonly result: Omit<ResultOptions, 'timeZone' | 'stringifyArrays'>;
}

/** Throws a Refusal that names what is wrong. */
export function checkSqlRequest(request: SqlRequest): CheckedSqlRequest {
  const { query, header, typesHeader, sqlTypesHeader } = request;
  if (typesHeader && !header) throw typesWithoutHeader('typesHeader');
  if (sqlTypesHeader && !header) throw typesWithoutHeader('sqlTypesHeader');
  const context: Readonly<Record<string, unknown>> = request.context ?? {};
  checkContextSize(context);
  const queryId = context.sqlQueryId ?? randomUUID();
  if (typeof queryId !== 'string') throw queryIdNotText();
  return {
    text: query,
    queryId,
    context: { ...context, sqlQueryId: queryId },
    parameters: (request.parameters ?? []).map(
      (parameter) =>
        parameter && { type: knownType(parameter.type), value: parameter.value ?? null },
    ),
    result: {
      format: formatNamed(request.resultFormat ?? 'object'),
      header: isTrue(header),
      typesHeader: isTrue(typesHeader),
      sqlTypesHeader: isTrue(sqlTypesHeader),
    },
  };
}

/**
 * Print settings from the context of a statement (SET included). An unknown zone prints as UTC:
 * only time functions refuse it.
 */
export function printingOf(
  context: Readonly<Record<string, unknown>>,
): Pick<ResultOptions, 'timeZone' | 'stringifyArrays'> {
  return {
    timeZone: zoneNamed(context.sqlTimeZone),
    stringifyArrays: isTruth(context.sqlStringifyArrays ?? true),
  };
}

/** Timeout of a query in milliseconds; 0 means none (Druid: query context, `timeout`). */
export function timeoutMsOf(
  { timeout }: Readonly<Record<string, unknown>>,
  defaultValue: number,
): number {
  if (timeout === undefined || timeout === null) return defaultValue;
  const ms = findMs(timeout);
  if (ms === undefined)
    throw typeof timeout === 'string'
      ? badContextValue('timeout', 'long', timeout)
      : wrongContextValue('timeout', 'a Long', javaClassOf(timeout));
  return ms;
}

/**
 * Like `timeoutMsOf`, but for planning: an invalid timeout is refused only after the query is
 * parsed.
 */
export function planningTimeoutMsOf(
  { timeout }: Readonly<Record<string, unknown>>,
  defaultValue: number,
): number {
  const ms = findMs(timeout);
  return ms !== undefined && ms >= 0 ? ms : defaultValue;
}

function findMs(timeout: unknown): number | undefined {
  const ms =
    typeof timeout === 'bigint'
      ? Number(BigInt.asIntN(64, timeout)) // Numbers beyond longs overflow, as in Java
      : typeof timeout === 'string' && /^-?\d+$/.test(timeout)
        ? Number(timeout)
        : timeout;
  return typeof ms === 'number' && Number.isFinite(ms) ? Math.trunc(ms) : undefined;
}

// Any text except `true` means false (Java: Boolean.parseBoolean).
const isTruth = (value: unknown) =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true');

const isTrue = (value: unknown) =>
  value === true || value === 'true' || (typeof value === 'number' && value !== 0);

function knownType(type: string): string {
  if (!sqlTypes.includes(type)) throw unknownParameterType(type, sqlTypes);
  return type;
}

/** The result format with this name, in any case; undefined for an unknown name. */
export const findFormat = (name: string): ResultFormat | undefined =>
  resultFormats.find((format) => format.toLowerCase() === name.toLowerCase());

function formatNamed(name: string): ResultFormat {
  const found = findFormat(name);
  if (!found) throw unknownResultFormat(name, resultFormats);
  return found;
}

function zoneNamed(name: unknown): TimeZone {
  try {
    return typeof name === 'string' ? timeZoneOf(name) : utc;
  } catch (error) {
    if (error instanceof InvalidTime) return utc;
    throw error;
  }
}

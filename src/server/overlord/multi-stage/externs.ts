// External inputs of a statement, made into relations that its query can read.
import type { Extern } from '../../../sql/statement.ts';
import type { Session } from '../../engine/session.ts';
import { identifier } from '../../engine/sql-text.ts';
import { valueSql } from '../../ingestion/column-values.ts';
import { parseInputFormat } from '../../ingestion/input-format.ts';
import { type InputPlace, openInput, parseInputSource } from '../../ingestion/input-source.ts';
import { badLines } from '../../ingestion/parse-failures.ts';
import { stageRawRows } from '../../ingestion/raw-rows.ts';
import { SpecFields } from '../../ingestion/spec-fields.ts';
import { cannotParse, tooManyWarnings } from './faults.ts';
import { channel, type Stage } from './report.ts';

export interface ExternReading {
  readonly session: Session;
  readonly place: InputPlace;
  readonly maxParseExceptions: number; // -1: any number
  readonly stage: Stage;
  readonly log: (message: string) => void;
}

/** Checks what an external input says about itself; throws a Refusal. */
export function checkExtern({ inputSource, inputFormat }: Extern): void {
  parseInputSource(new SpecFields(inputSource, 'inputSource'));
  parseInputFormat(new SpecFields(inputFormat, 'inputFormat'));
}

/** Reads an external input and makes its relation; returns what the first rows that cannot be read say. Throws QueryFailed when they are too many. */
export async function openExtern(
  { relation, inputSource, inputFormat, signature }: Extern,
  number: number,
  reading: ExternReading,
): Promise<string[]> {
  const { session, place, maxParseExceptions, stage, log } = reading;
  const files = await openInput(parseInputSource(new SpecFields(inputSource, 'inputSource')), place);
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  stage.counters[`input${number}`] = channel({ rows: 0, files: 0, totalFiles: files.length });
  const wanted = { names: signature.map(({ name }) => name), discover: false };
  const raw = await stageRawRows(
    session,
    `raw_${number}`,
    files,
    parseInputFormat(new SpecFields(inputFormat, 'inputFormat')),
    wanted,
    place.stagingFolder,
  );
  const columns = signature.map(({ name, type }) => {
    const field = raw.fields.get(name);
    return `${field ? valueSql(type, raw, field) : `NULL::${duckdbType(type)}`} AS ${identifier(name)}`;
  });
  const good = raw.badLine === undefined ? '' : ` WHERE ${raw.badLine} IS NULL`;
  await session.run(`CREATE TEMP VIEW ${identifier(relation)} AS SELECT ${columns.join(', ') || '1 AS "__rows"'} FROM ${raw.table}${good}`);
  const [[total, bad] = []] = await session.rows(
    `SELECT count(*), ${raw.badLine === undefined ? 0 : `count(${raw.badLine})`} FROM ${raw.table}`,
  );
  const rows = Number(total) - Number(bad);
  stage.counters[`input${number}`] = channel({ rows, bytes, files: files.length, totalFiles: files.length });
  log(`Read [${rows}] rows and [${bytes}] bytes from [${files.length}] files`);
  if (Number(bad) === 0) return [];
  const details = await badLines(session, raw, files, 5);
  stage.counters.warnings = { type: 'warnings', CannotParseExternalData: Number(bad) };
  if (maxParseExceptions === 0) throw cannotParse(details[0] ?? 'A row cannot be read');
  if (maxParseExceptions > 0 && Number(bad) > maxParseExceptions) throw tooManyWarnings(maxParseExceptions, 'CannotParseExternalData');
  return details;
}

function duckdbType(type: string): string {
  const item = /^ARRAY<(.*)>$/.exec(type)?.[1];
  if (item !== undefined) return `${duckdbType(item)}[]`;
  return { STRING: 'VARCHAR', LONG: 'BIGINT', 'COMPLEX<json>': 'JSON' }[type] ?? type;
}

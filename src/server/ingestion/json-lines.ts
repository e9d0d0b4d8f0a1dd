// Lines of JSON as the real engine reads them (Jackson): the first value of a line counts, and the
// last of equal keys. DuckDB reads the first of equal keys, and some texts that are not JSON.
import { requestLimits } from '../../model/limits.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import type { JsonFormat } from './input-format.ts';

/**
 * The lines of a relation with a column `line`, as a relation with the columns `given` and `line`:
 * the text of the input, and the JSON object that the real engine reads there. It is null for a
 * line without JSON, and has no fields for JSON of other types. There are at most `numKeys`
 * different keys.
 */
export async function surveyedLines(
  session: Session,
  lines: string,
  format: WholeLines,
): Promise<{ readonly lines: string; readonly numKeys: number }> {
  const given = `(SELECT line AS given, line FROM ${lines})`;
  const { numKeys, ...odd } = await surveyLines(session, given);
  const conditions = [
    ...(odd.hasText ? [oddText] : []),
    ...(odd.hasInvalid ? ['keys IS NULL'] : []),
    ...(odd.hasEqualKeys ? [equalKeys] : []),
  ];
  if (conditions.length === 0) return { lines: given, numKeys };
  const read = readLines(lines, conditions, format);
  return {
    lines: read,
    numKeys: odd.hasInvalid ? (await surveyLines(session, read)).numKeys : numKeys,
  };
}

/** The same lines for readers that do not need the number of keys: it takes time to count them. */
export async function readableLines(
  session: Session,
  lines: string,
  format: WholeLines,
): Promise<string> {
  // The hash of an empty list is that of null.
  const shapes = await session.rows(
    `SELECT DISTINCT hash(keys) FROM (SELECT ${keysOfLine} AS keys FROM ${lines} LIMIT 1000) WHERE len(keys) > 0 AND NOT (${equalKeys}) LIMIT ${mostShapes}`,
  );
  const isUsual = `hash(keys) IN (${shapes.map(([shape]) => String(shape)).join(', ') || 'NULL'})`;
  const isOdd = `CASE WHEN ${isUsual} THEN false ELSE keys IS NULL OR ${equalKeys} END`;
  return readLines(lines, [oddText, isOdd], format);
}

const mostShapes = 16; // lists of keys, each of which is compared with that of every line

type WholeLines = Pick<JsonFormat, 'isWhole'>;

const readLines = (lines: string, oddConditions: readonly string[], { isWhole }: WholeLines) =>
  `(SELECT given, CASE WHEN ${oddConditions.join(' OR ')} THEN ${isWhole ? `CASE WHEN json_valid(line) THEN ${objectOfLine} END` : objectOfLine} ELSE line END AS line FROM (SELECT line AS given, line, ${keysOfLine} AS keys FROM ${lines}))`;

interface LineSurvey {
  readonly numKeys: number;
  readonly hasText: boolean; // some lines may have other text than JSON
  readonly hasInvalid: boolean;
  readonly hasEqualKeys: boolean; // in the objects of lines
}

// Most files have lines of a few different lists of keys: equal keys are sought in each list once.
async function surveyLines(session: Session, lines: string): Promise<LineSurvey> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE json_shapes AS SELECT DISTINCT ${keysOfLine} AS keys, ${oddText} AS is_odd FROM ${lines}`,
  );
  const [[numKeys, ...odd] = []] = await session.rows(
    `SELECT (SELECT count(DISTINCT key) FROM (SELECT unnest(keys) AS key FROM json_shapes)), count(*) FILTER (is_odd), count(*) FILTER (keys IS NULL), count(*) FILTER (${equalKeys}) FROM json_shapes`,
  );
  await session.run('DROP TABLE json_shapes');
  const [hasText = false, hasInvalid = false, hasEqualKeys = false] = odd.map(
    (count) => Number(count) > 0,
  );
  return { numKeys: Number(numKeys), hasText, hasInvalid, hasEqualKeys };
}

// DuckDB takes seconds to count the keys of a row with a million of them.
const keysOfLine = `TRY(json_keys(line))[:${requestLimits.inputColumns.most + 1}]`;

const equalKeys = 'len(list_distinct(keys)) < len(keys)';

// Values other than objects, commas at the end of an object or a list, and numbers that JSON lacks
const oddText = `(NOT starts_with(line, '{') AND NOT starts_with(ltrim(line), '{') OR regexp_matches(line, ${quote(',\\s*[}\\]]')}) OR contains(line, 'NaN') OR contains(line, 'Infinity'))`;

/**
 * The characters of the longest text for a function in TypeScript, which reads at most 2,048 texts
 * at once, within the limit of their characters.
 */
export const longestRead = 30_000;

// Of a longer line that DuckDB cannot read, the object may be in front of other text.
const objectOfLine = `CASE WHEN length(line) <= ${longestRead} THEN druid_json_object(line) WHEN json_valid(rtrim(line, ', ')) THEN rtrim(line, ', ') ELSE druid_json_object(left(line, ${longestRead})) END`;

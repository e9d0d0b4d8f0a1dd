// Refusals of well-formed statements that conflict with their context parameters or their target
// datasource.
import type { Catalog } from '../../../sql/catalog.ts';
import type { IngestStatement, OutputColumn, SelectStatement } from '../../../sql/statement.ts';
import { Refusal } from '../../checks/refusals.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { isConcurrent } from '../../tasks/lock-types.ts';
import { faultInId } from '../../tasks/task-ids.ts';
import { exportDestination } from './export-destination.ts';
import { checkExtern } from './externs.ts';
import { segmentSourceIn } from './segment-source.ts';
import type { QuerySettings } from './settings.ts';

/** Throws a Refusal that names the fault and the remedy. */
export function checkStatement(
  statement: SelectStatement | IngestStatement,
  settings: QuerySettings,
  { catalog, outside }: { readonly catalog: Catalog; readonly outside: Outside },
): void {
  const select = statement.kind === 'select' ? statement : statement.query;
  for (const extern of select.externs) checkExtern(extern, outside);
  if (statement.kind === 'select') return;
  const { target, query } = statement;
  if (target.kind === 'export') return void exportDestination(target, outside);
  const fault = faultInId('table', target.name);
  if (fault) throw refuseStatement(fault);
  checkOwnRows(statement, target.name);
  checkLockType(statement);
  for (const column of query.columns) checkArray(column, settings);
  checkSortOrder(query.columns, settings);
  checkTypeChanges(target.name, query.columns, settings, catalog);
}

const refuseStatement = (message: string) => new Refusal('invalidInput', message);

// Rows that a stream task has not published yet would be duplicated (Druid:
// MSQTaskQueryMakerUtils.validateRealtimeReindex).
function checkOwnRows({ kind, query, context }: IngestStatement, dataSource: string): void {
  const readsOwn = query.resources.some(
    ({ type, name, action }) => type === 'DATASOURCE' && action === 'READ' && name === dataSource,
  );
  if (kind !== 'replace' || !readsOwn || segmentSourceIn(context) !== 'REALTIME') return;
  throw refuseStatement(
    `Cannot ingest into datasource[${dataSource}] since it is also being queried from, with REALTIME segments included. Ingest to a different datasource, or disable querying of realtime segments by modifying [includeSegmentSource] in the query context.`,
  );
}

// Druid: MultiStageQueryContext.validateAndGetTaskLockType.
function checkLockType({ kind, context }: IngestStatement): void {
  if (isConcurrent(context) || typeof context.taskLockType !== 'string') return;
  const given = context.taskLockType.toUpperCase();
  const allowed = kind === 'replace' ? ['EXCLUSIVE', 'REPLACE'] : ['SHARED', 'APPEND'];
  if (allowed.includes(given)) return;
  throw refuseStatement(
    `TaskLock must be of type [${allowed[0]}] or [${allowed[1]}] for ${kind === 'replace' ? 'a REPLACE' : 'an INSERT'} query. Found invalid type [${given}] set. Please use [taskLockType] key in the context parameter and use one of the TaskLock types as mentioned earlier or remove this key for automatic lock type selection`,
  );
}

// Druid: DimensionSchemaUtils.getDimensionType.
function checkArray({ nativeType }: OutputColumn, { arrayIngestMode }: QuerySettings): void {
  if (!nativeType?.startsWith('ARRAY<') || arrayIngestMode === 'ARRAY') return;
  const mode = arrayIngestMode.toLowerCase();
  if (nativeType !== 'ARRAY<STRING>')
    throw refuseStatement(
      `Numeric arrays can only be ingested when 'arrayIngestMode' is set to 'array'. Current value of the parameter is[${mode}]`,
    );
  if (arrayIngestMode === 'NONE')
    throw refuseStatement(
      `String arrays can not be ingested when 'arrayIngestMode' is set to '${mode}'. Set 'arrayIngestMode' in query context to 'array' to ingest the string array as an array, or ingest it as an MVD by explicitly casting the array to an MVD with the ARRAY_TO_MV function.`,
    );
}

function checkSortOrder(
  columns: readonly OutputColumn[],
  { segmentSortOrder, forceSegmentSortByTime }: QuerySettings,
): void {
  const [first] = segmentSortOrder;
  if (first === undefined) return;
  const hasTime = columns.some(({ name }) => name === '__time');
  if (forceSegmentSortByTime && hasTime && first !== '__time')
    throw refuseStatement(
      'Context parameter[segmentSortOrder] must start with time column[__time] unless context parameter[forceSegmentSortByTime] is set to false.',
    );
  const unknown = segmentSortOrder.find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined)
    throw refuseStatement(
      `Context parameter[segmentSortOrder] names column[${unknown}], which the query does not write`,
    );
}

// A column contains either texts or arrays, and never mixes them by accident (Druid:
// MSQTaskSqlEngine.validateTypeChanges).
function checkTypeChanges(
  dataSource: string,
  columns: readonly OutputColumn[],
  settings: QuerySettings,
  catalog: Catalog,
): void {
  const table = catalog.findTable('druid', dataSource);
  const { arrayIngestMode, skipTypeVerification } = settings;
  for (const { name, nativeType } of columns) {
    const old = table?.columns.find((column) => column.name === name)?.type;
    if (old === undefined || nativeType === null || skipTypeVerification.includes(name)) continue;
    const isMade = nativeType === 'ARRAY<STRING>' && arrayIngestMode === 'MVD';
    const written = isMade ? 'STRING' : nativeType;
    const isArray = written.startsWith('ARRAY<');
    const wasArray = old.startsWith('ARRAY<');
    if (!((isArray && old === 'STRING') || (written === 'STRING' && wasArray))) continue;
    throw refuseStatement(
      `Cannot write into field[${name}] using type[${written}] and arrayIngestMode[${arrayIngestMode.toLowerCase()}], since the existing type is[${old}]. ${adviceFor(name, isArray, isMade, arrayIngestMode)}. See https://druid.apache.org/docs/latest/querying/arrays#arrayingestmode for more details about this check and how to override it if needed.`,
    );
  }
}

function adviceFor(
  name: string,
  isArray: boolean,
  isMade: boolean,
  arrayIngestMode: QuerySettings['arrayIngestMode'],
): string {
  if (isMade) return 'Try setting arrayIngestMode to[array] to retain the SQL type[ARRAY]';
  if (isArray)
    return `Try wrapping this field using ARRAY_TO_MV(...) AS "${name.replaceAll('"', '""')}"`;
  return arrayIngestMode === 'ARRAY'
    ? 'Try adjusting your query to make this column an ARRAY instead of VARCHAR'
    : 'Try setting arrayIngestMode to[array] and adjusting your query to make this column an ARRAY instead of VARCHAR';
}

// Planning requests and their answers. The same code runs in the service and in planning processes.

import { type EngineVersion, lacksOf, newestVersion } from '../../model/engine-version.ts';
import type { StatementList } from '../../sql/ast.ts';
import type { Catalog } from '../../sql/catalog.ts';
import { segmentGranularity } from '../../sql/ingest/partitioned-by.ts';
import type { NativeStatement } from '../../sql/native/statement.ts';
import { translateNative } from '../../sql/native/translate-native.ts';
import { parseStatements } from '../../sql/parse/parse.ts';
import type { EngineName } from '../../sql/resolution/translation.ts';
import type { KnownValues, TranslatedStatement } from '../../sql/statement.ts';
import type { BoundParameter } from '../../sql/translate/parameters.ts';
import { translateParsed } from '../../sql/translate/translate.ts';
import { checkVersion } from './engine-version.ts';
import { checkFormats, checkFunctions, checkNative, type Lacking } from './lacking.ts';

interface Translating {
  readonly nowMs: number; // since 1970
  readonly lacking?: readonly Lacking[]; // disabled extensions
  readonly version?: EngineVersion; // of the engine; the newest by default
  readonly mostKeptValues?: number; // that aggregates may keep in memory; by default 0
}

/** A statement to translate. */
export interface PlanningRequest extends Translating {
  readonly kind: 'sql';
  readonly text: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly parameters: readonly (BoundParameter | null)[];
  readonly engine: EngineName;
  readonly knownValues?: readonly KnownValues[] | undefined; // of queries behind IN
}

/** A native query to translate. */
export interface NativeRequest extends Translating {
  readonly kind: 'native';
  readonly query: Readonly<Record<string, unknown>>;
}

/** A statement to parse for its SETs. */
export interface SettingsRequest {
  readonly kind: 'settings';
  readonly text: string;
}

export type PlanRequest = PlanningRequest | NativeRequest | SettingsRequest;

/** The answers by the kind of request. */
export interface Plans {
  readonly sql: TranslatedStatement;
  readonly native: NativeStatement;
  readonly settings: StatementList['settings'];
}

export type PlanningResult = Plans[keyof Plans];

/**
 * Answers a request. `list` is the parsed statement of an `sql` request, if it was parsed before.
 * Throws SqlError for an invalid request.
 */
export function planOf(
  request: PlanningRequest,
  catalog: Catalog,
  list?: StatementList,
): TranslatedStatement;
export function planOf(
  request: PlanRequest,
  catalog: Catalog,
  list?: StatementList,
): PlanningResult;
export function planOf(
  request: PlanRequest,
  catalog: Catalog,
  list?: StatementList,
): PlanningResult {
  switch (request.kind) {
    case 'sql':
      return translateRequest(request, catalog, list ?? parseStatements(request.text));
    case 'native':
      checkNative(request.query, request.lacking ?? []);
      return translateNative(request.query, {
        catalog,
        nowMs: BigInt(request.nowMs),
        version: request.version ?? newestVersion,
      });
    case 'settings':
      return settingsIn(list ?? parseStatements(request.text));
  }
}

function translateRequest(
  request: PlanningRequest,
  catalog: Catalog,
  list: StatementList,
): TranslatedStatement {
  const { lacking = [], version = newestVersion } = request;
  checkVersion(list, lacksOf(version));
  checkFunctions(list.statement, lacking);
  const statement = translateParsed(list, {
    ...request,
    version,
    catalog,
    nowMs: BigInt(request.nowMs),
  });
  checkFormats(statement, lacking);
  return statement;
}

function settingsIn({ statement, settings }: StatementList): StatementList['settings'] {
  if ((statement.kind === 'insert' || statement.kind === 'replace') && statement.partitionedBy)
    segmentGranularity(statement.partitionedBy);
  return settings;
}

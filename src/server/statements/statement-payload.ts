// Statement in the payload of a query_controller task, validated because it comes from the store.
import type { StoredPayload } from '../storage/tasks.ts';

export interface StatementColumn {
  readonly name: string;
  readonly type: string;
  readonly nativeType: string | null;
}

/** The columns of a SELECT; undefined for a statement that ingests. */
export function signatureIn(payload: StoredPayload): readonly StatementColumn[] | undefined {
  const names = list(specIn(payload).columnMappings).map(
    (mapping) => objectIn(mapping).outputColumn,
  );
  const types = list(payload.sqlTypeNames);
  const nativeTypes = list(payload.nativeTypeNames);
  const ingests = ['dataSource', 'export'].includes(destinationIn(payload) ?? '');
  if (ingests || types.length !== names.length) return undefined;
  return names.map((name, at) => ({
    name: String(name),
    type: String(types[at]),
    nativeType: textIn(nativeTypes[at]) ?? null,
  }));
}

/**
 * The destination of the rows: `taskReport` or `durableStorage` for a SELECT, `dataSource` or
 * `export` for a statement that writes.
 */
export const destinationIn = (payload: StoredPayload): string | undefined =>
  textIn(objectIn(specIn(payload).destination).type);

/** The submitter (Druid: the context key `__user`). */
export const ownerOf = (payload: StoredPayload): string | undefined =>
  textIn(objectIn(specIn(payload).context)[ownerKey]);

export const ownerKey = '__user';

/** The context key that stores the format of a statement's result, as in the real engine. */
export const resultFormatKey = '__resultFormat';

/** The context of the submission, SET included. */
export const contextIn = (payload: StoredPayload): Readonly<Record<string, unknown>> =>
  objectIn(payload.sqlQueryContext);

const specIn = (payload: StoredPayload) => objectIn(payload.spec);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);
const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

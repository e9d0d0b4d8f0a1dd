// Supervisors and the history of their specifications.
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export type StoredSupervisorSpec = Readonly<Record<string, unknown>>;

export interface StoredSupervisorVersion {
  readonly version: string; // ISO time
  readonly spec: StoredSupervisorSpec;
}

/** Sets a supervisor's specification and adds it to the history. */
export function setSupervisor(
  tx: Transaction,
  id: string,
  spec: StoredSupervisorSpec,
  version: string,
): void {
  tx.run(
    'INSERT INTO supervisors VALUES (?, ?) ON CONFLICT DO UPDATE SET spec = excluded.spec',
    id,
    jsonText(spec),
  );
  addVersion(tx, id, spec, version);
}

/** Removes a supervisor and adds a tombstone to its history. Returns false for an unknown one. */
export function terminateSupervisor(
  tx: Transaction,
  id: string,
  tombstone: StoredSupervisorSpec,
  version: string,
): boolean {
  if (tx.run('DELETE FROM supervisors WHERE id = ?', id) === 0) return false;
  addVersion(tx, id, tombstone, version);
  return true;
}

export function findSupervisor(tx: Transaction, id: string): StoredSupervisorSpec | undefined {
  const row = tx.get<{ spec: string }>('SELECT spec FROM supervisors WHERE id = ?', id);
  return row && specIn(row.spec);
}

/** Specifications by id, sorted. */
export const listSupervisors = (tx: Transaction): Map<string, StoredSupervisorSpec> =>
  new Map(
    tx
      .all<{ id: string; spec: string }>('SELECT * FROM supervisors ORDER BY id')
      .map((row) => [row.id, specIn(row.spec)]),
  );

/** The versions of a supervisor, the newest first; empty when it never existed. */
export const supervisorHistory = (tx: Transaction, id: string): StoredSupervisorVersion[] =>
  tx
    .all<VersionRow>(
      'SELECT * FROM supervisor_history WHERE supervisor_id = ? ORDER BY number DESC',
      id,
    )
    .map((row) => ({ version: row.version, spec: specIn(row.spec) }));

/** The versions of all supervisors, including terminated ones, by id and newest first. */
export function allSupervisorHistory(tx: Transaction): Map<string, StoredSupervisorVersion[]> {
  const found = new Map<string, StoredSupervisorVersion[]>();
  for (const { supervisor_id, version, spec } of tx.all<VersionRow>(
    'SELECT * FROM supervisor_history ORDER BY number DESC',
  )) {
    const versions = found.get(supervisor_id) ?? [];
    versions.push({ version, spec: specIn(spec) });
    found.set(supervisor_id, versions);
  }
  return found;
}

// Any value other than an object is read as a specification without fields, so that its reader
// names the missing ones.
function specIn(text: string): StoredSupervisorSpec {
  try {
    const value = jsonValue<unknown>(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

interface VersionRow {
  readonly supervisor_id: string;
  readonly version: string;
  readonly spec: string;
}

const addVersion = (tx: Transaction, id: string, spec: StoredSupervisorSpec, version: string) =>
  tx.run(
    'INSERT INTO supervisor_history (supervisor_id, version, spec) VALUES (?, ?, ?)',
    id,
    version,
    jsonText(spec),
  );

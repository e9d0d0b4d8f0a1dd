// Files of the segment cache: for each unit a database, and a list of its segments.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CacheLocation } from './locations.ts';
import type { Member, Unit } from './units.ts';

/** A unit on disk. */
export type UnitFile = Unit & { readonly location: CacheLocation; readonly sizeBytes: number };

/** The paths of a unit's files. The table has its name once it is complete. */
export const unitFilesOf = (folder: string, name: string) => ({
  table: join(folder, `${name}.duckdb`),
  members: join(folder, `${name}.json`),
  building: join(folder, `${name}.building`),
  log: join(folder, `${name}.building.wal`),
});

/** A text that only a table with the rows of these segments has. */
export const contentOf = ({ dataSource, members }: Omit<Unit, 'statistics'>): string =>
  createHash('sha256')
    .update(JSON.stringify([form, dataSource, members]))
    .digest('hex');

const form = 4; // changes with the columns and row groups of the table

/** Writes what is known of a unit, before its table gets its name. */
export function writeUnit(folder: string, { name, ...known }: Unit): void {
  const text = JSON.stringify({ form, ...known });
  writeFileSync(unitFilesOf(folder, name).members, text, { mode: 0o600 });
}

/** The complete units of an earlier process. All other files of the cache are removed. */
export function readUnitFiles(location: CacheLocation): UnitFile[] {
  const { folder } = location;
  const files = readdirSync(folder).filter((file) => /^unit_\w+\.(\w+|building\.wal)$/.test(file));
  const units = files
    .filter((file) => file.endsWith('.duckdb'))
    .flatMap((file) => readUnit(location, file.replace(/\.duckdb$/, '')) ?? []);
  const wanted = new Set(
    units.flatMap(({ name }) => {
      const { table, members } = unitFilesOf(folder, name);
      return [table, members];
    }),
  );
  for (const file of files) {
    const path = join(folder, file);
    if (!wanted.has(path)) rmSync(path, { force: true });
  }
  return units;
}

function readUnit(location: CacheLocation, name: string): UnitFile | undefined {
  const { table, members: list } = unitFilesOf(location.folder, name);
  try {
    const known: Partial<Unit> & { readonly form?: unknown } = JSON.parse(
      readFileSync(list, 'utf8'),
    );
    const { dataSource, members, statistics } = known;
    if (known.form !== form || typeof dataSource !== 'string') return undefined;
    if (!members?.every(isComplete) || !statistics) return undefined;
    return { name, dataSource, members, statistics, location, sizeBytes: statSync(table).size };
  } catch {
    return undefined; // torn by a crash
  }
}

const isComplete = (member: Member): boolean =>
  typeof member.id === 'string' &&
  [member.createdMs, member.sizeBytes, member.numRows].every(Number.isFinite);

// Changes that bring the cluster to the state of the files.
import { createHash } from 'node:crypto';
import { UsageError } from '../../../cli/process/errors.ts';
import { Mismatch } from '../../../contract/schema.ts';
import { type Difference, differences, isSame, sorted } from '../../../model/difference.ts';
import { formatJson } from '../../../model/json.ts';
import { maskedAt, restore } from '../../../model/secrets.ts';
import type { Area } from './area.ts';
import { areas } from './areas.ts';
import type { Files } from './folder.ts';
import type { Live } from './live.ts';

export interface Change {
  readonly area: string;
  readonly name: string;
  readonly kind: 'added' | 'changed' | 'removed'; // by the files
  readonly before: string; // a digest of what the cluster has
  readonly differences: readonly Difference[]; // without secrets
  readonly document?: unknown; // as the files have it
}

/** Throws a usage error that names the file whose document the service would not take. */
export function changesBetween(live: Live, files: Files): Change[] {
  return areas
    .filter(({ name }) => files.areas.includes(name) && live.has(name))
    .flatMap((area) => {
      const has = live.get(area.name) ?? new Map<string, unknown>();
      const wanted = new Map(
        files.things
          .filter((thing) => thing.area === area.name)
          .map(({ name, document }) => [name, document]),
      );
      const names = [...new Set([...has.keys(), ...wanted.keys()])].sort();
      return names.flatMap((name) => changeOf(area, name, has.get(name), wanted.get(name)));
    });
}

function changeOf(area: Area, name: string, has: unknown, wanted: unknown): Change[] {
  const named = { area: area.name, name, before: digestOf(area, name, has) };
  // It cannot be taken away: no file has no say in it
  if (wanted === undefined && (!area.remove || area.stays?.(name))) return [];
  if (wanted === undefined)
    return [
      { ...named, kind: 'removed', differences: maskDifferences([{ path: '', before: has }]) },
    ];
  checked(area, name, wanted);
  if (has === undefined)
    return [
      {
        ...named,
        kind: 'added',
        differences: maskDifferences([{ path: '', after: wanted }]),
        document: wanted,
      },
    ];
  const [before, after] = [area.normal(has, name), desiredOf(area, name, wanted, has)];
  if (isSame(before, after)) return [];
  return [
    {
      ...named,
      kind: 'changed',
      differences: maskDifferences(differences(before, after)),
      document: wanted,
    },
  ];
}

/** What the cluster shall have, as `normal` says it. */
export const desiredOf = (area: Area, name: string, wanted: unknown, has: unknown): unknown =>
  area.normal(desiredDocument(area, wanted, has), name);

/** What is sent: with the secrets that the cluster has, and the fields that it leaves alone. */
export const desiredDocument = ({ merged }: Area, wanted: unknown, has: unknown): unknown => {
  const whole = restore(wanted, has);
  return merged ? merged(whole, has) : whole;
};

/**
 * The same for documents that mean the same: whether somebody has changed a thing since it was
 * read.
 */
export const digestOf = (area: Area, name: string, document: unknown): string =>
  document === undefined
    ? 'absent'
    : createHash('sha256')
        .update(formatJson(sorted(area.normal(document, name))))
        .digest('hex');

function checked(area: Area, name: string, document: unknown): void {
  try {
    area.check(document, name);
  } catch (error) {
    const problem =
      error instanceof Mismatch
        ? `field [${error.field}]: ${error.problem}`
        : (error as Error).message;
    throw new UsageError(
      `The file of ${area.name} [${name}] cannot be used: ${problem}`,
      error instanceof UsageError ? error.hint : undefined,
    );
  }
}

const maskDifferences = (all: readonly Difference[]): Difference[] =>
  all.map(({ path, ...sides }) => ({
    path,
    ...Object.fromEntries(
      Object.entries(sides).map(([side, value]) => [side, maskedAt(path, value)]),
    ),
  }));

// Changes that bring the cluster to the state of the files.
import { createHash } from 'node:crypto';
import { UsageError } from '../../../cli/process/errors.ts';
import { Mismatch } from '../../../contract/schema.ts';
import { type Difference, differences, isSame, sortKeys } from '../../../model/difference.ts';
import { formatJson } from '../../../model/json.ts';
import { maskAt, restore } from '../../../model/secrets.ts';
import type { Area } from './area.ts';
import { areas } from './areas.ts';
import type { Files } from './folder.ts';
import type { Live } from './live.ts';

export interface ConfigurationChange {
  readonly area: string;
  readonly name: string;
  readonly kind: 'added' | 'changed' | 'removed'; // by the files
  readonly before: string; // a digest of the live document
  readonly differences: readonly Difference[]; // without secrets
  readonly document?: unknown; // from the files
}

/** Throws a usage error with the name of a file whose document the service would refuse. */
export function changesBetween(live: Live, files: Files): ConfigurationChange[] {
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

function changeOf(area: Area, name: string, has: unknown, wanted: unknown): ConfigurationChange[] {
  const named = { area: area.name, name, before: digestOf(area, name, has) };
  // An object that cannot be removed is left alone without a file
  if (wanted === undefined && (!area.remove || area.stays?.(name))) return [];
  if (wanted === undefined)
    return [
      { ...named, kind: 'removed', differences: maskDifferences([{ path: '', before: has }]) },
    ];
  checkDocument(area, name, wanted);
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

/** The desired state of the cluster, normalized by `normal`. */
export const desiredOf = (area: Area, name: string, wanted: unknown, has: unknown): unknown =>
  area.normal(desiredDocument(area, wanted, has), name);

/** The document to send: with secrets from the cluster, and the fields that the service keeps. */
export const desiredDocument = ({ merged }: Area, wanted: unknown, has: unknown): unknown => {
  const whole = restore(wanted, has);
  return merged ? merged(whole, has) : whole;
};

/** Equal for equivalent documents; detects changes by others since an object was read. */
export const digestOf = (area: Area, name: string, document: unknown): string =>
  document === undefined
    ? 'absent'
    : createHash('sha256')
        .update(formatJson(sortKeys(area.normal(document, name))))
        .digest('hex');

function checkDocument(area: Area, name: string, document: unknown): void {
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
      Object.entries(sides).map(([side, value]) => [side, maskAt(path, value)]),
    ),
  }));

// Current configuration of a cluster.

import type { Context } from '../../../cli/command/command.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { ServiceError } from '../../../client/errors.ts';
import { optional, text } from '../../../contract/schema.ts';
import { authenticatorOption, authorizerOption } from '../users/store.ts';
import type { Area, Cluster } from './area.ts';
import { areaNames, areas } from './areas.ts';

export type Live = ReadonlyMap<string, ReadonlyMap<string, unknown>>; // by area and name

/** Options of commands that read the whole configuration. */
export const liveOptions = {
  only: optional(text, `Only these areas, separated by commas: ${areaNames.join(', ')}`),
  ...authorizerOption,
  ...authenticatorOption,
};

/** Completion for these options. */
export const completesAreas = { completers: { only: areaNames }, commas: ['only'] } as const;

/** The endpoints that these commands call. */
export const liveEndpoints = areas.flatMap(({ endpoints }) => [...endpoints]);

/** The areas of --only, or all; throws a usage error for an unknown name. */
export function areasNamed(only: string | undefined): readonly Area[] {
  if (only === undefined) return areas;
  const names = only.split(',').map((name) => name.trim().replace(/^permissions$/, 'roles'));
  const wrong = names.find((name) => !areaNames.includes(name));
  if (wrong !== undefined)
    throw new UsageError(
      `Value [${wrong}] of --only is not an area: there are ${areaNames.join(', ')}`,
    );
  return areas.filter(({ name }) => names.includes(name));
}

/** Reads areas; skips an area that the service lacks, with a note to `out`. */
export async function readLive(
  cluster: Cluster,
  wanted: readonly Area[],
  { out }: Pick<Context, 'out'>,
): Promise<Live> {
  const found = new Map<string, ReadonlyMap<string, unknown>>();
  const lacking = new Map<string, string[]>();
  for (const { name, read } of wanted) {
    try {
      found.set(name, await read(cluster));
    } catch (error) {
      const why = reasonOf(error);
      if (why === undefined) throw error;
      lacking.set(why, [...(lacking.get(why) ?? []), name]);
    }
  }
  for (const [why, names] of lacking) out.note(`Left out: ${names.join(', ')}. ${why}`);
  return found;
}

// The endpoint is missing because the service is older or has no security. Or the service has
// several user stores and none was named.
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UsageError) return [error.message, error.hint].filter(Boolean).join(': ');
  if (!(error instanceof ServiceError)) return;
  return error.isLacking || error.status === 404 ? error.message : undefined;
}

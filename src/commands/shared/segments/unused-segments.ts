import type { Context } from '../../../cli/command/command.ts';
import { ServiceError } from '../../../client/errors.ts';
import { metadata } from '../../../contract/metadata.ts';

/**
 * The unused segments of a datasource, optionally inside an interval; undefined for older services,
 * which cannot list them.
 */
export async function findUnusedSegments(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
  interval?: string,
) {
  try {
    return await call(metadata.unusedSegments, {
      params: { dataSource },
      query: interval === undefined ? {} : { interval },
    });
  } catch (error) {
    if (error instanceof ServiceError && error.isLacking) return undefined;
    throw error;
  }
}

/** The count as a phrase: `2 unused segments`, or all of them when the count is unknown. */
export const countOfUnused = (unused: readonly unknown[] | undefined): string =>
  unused
    ? `${unused.length} unused ${unused.length === 1 ? 'segment' : 'segments'}`
    : 'all unused segments';

// The effect of a dry run on the cluster: segments and bytes of a datasource, and their share.
import type { Context } from '../../../cli/command/command.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { formatBytes } from '../../../cli/lists/columns.ts';
import { type DatasourceSummary, datasources } from '../../../contract/datasources.ts';
import { countOfSegments } from './segment-selection.ts';

/** A share in words: 12.5 %. */
export const shareInWords = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;

/**
 * The used segments of a datasource in words; undefined for a datasource without any, and without
 * permission to read it.
 */
export async function datasourceInWords(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
): Promise<string | undefined> {
  const listed = await ifKnown(call(datasources.list, { query: { simple: true } }));
  const sizes = (listed ?? []).flatMap((one) => {
    if (typeof one === 'string') return [];
    const { segments }: Partial<DatasourceSummary> = one.properties;
    return [
      { name: one.name, count: Number(segments?.count ?? 0), size: Number(segments?.size ?? 0) },
    ];
  });
  const found = sizes.find(({ name }) => name === dataSource);
  if (!found) return undefined;
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  const { count, size } = found;
  return `${countOfSegments(count)}, ${formatBytes(size)}, ${shareInWords(size, all)} of the cluster`;
}

import type { Completer } from '../../cli/command.ts';
import { metadata } from '../../contract/metadata.ts';

/** All datasources that have data, loaded or not. */
export const dataSourceNames: Completer = async ({ call }) =>
  (await call(metadata.datasources)).map((found) => (typeof found === 'string' ? found : found.name));

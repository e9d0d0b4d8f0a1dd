// Live names that many commands complete. Help and declarations load this file, so what asks is
// loaded when it asks.
import type { Completer } from '../command/command.ts';

/** The profiles that are kept here. */
export const namesOfProfiles: Completer = async ({ io }) =>
  (await import('./live-names.ts')).profileNames(io);

/** The datasources that are served. */
export const datasourceNames: Completer = async ({ call }) => {
  const { datasources } = await import('../../contract/datasources.ts');
  return (await call(datasources.list)).flatMap((name) => (typeof name === 'string' ? [name] : []));
};

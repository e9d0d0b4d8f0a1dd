// Live names that many commands complete. Help and declarations load this file, so its dependencies
// are loaded on use.
import type { Completer } from '../command/command.ts';

/** The local profiles. */
export const namesOfProfiles: Completer = async ({ io }) =>
  (await import('./live-names.ts')).profileNames(io);

/** The available datasources. */
export const datasourceNames: Completer = async ({ call }) => {
  const { datasources } = await import('../../contract/datasources.ts');
  return (await call(datasources.list)).flatMap((name) => (typeof name === 'string' ? [name] : []));
};

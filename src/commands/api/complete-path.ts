// Completion of paths for `svcctl api`: the fixed parts of the contract's paths.
import type { Completer } from '../../cli/command/command.ts';
import { namesOf } from '../../contract/index.ts';
import { pathFor } from '../../model/dialect.ts';

/** Paths up to their next placeholder; typed segments replace the placeholders before it. */
export const pathsFor: Completer = async ({ resolved, values: [method], typed }) => {
  const asked = method === 'HEAD' ? 'GET' : method;
  const service = typed.startsWith('/svc') ? 'svc' : resolved.settings.service;
  const known = [...namesOf.keys()].filter((endpoint) => endpoint.method === asked);
  const paths = known
    .flatMap(({ path, aliases = [] }) => [path, ...aliases])
    .map((path) => pathFor(service, path));
  return [
    ...new Set(paths.flatMap((path) => continueWith(path.split('/'), typed.split('/')))),
  ].sort();
};

function continueWith(parts: readonly string[], typed: readonly string[]): string[] {
  const before = typed.slice(0, -1);
  const fits =
    before.length < parts.length &&
    before.every((part, at) => (parts[at]?.startsWith(':') ? part !== '' : part === parts[at]));
  if (!fits) return [];
  const [begun = ''] = typed.slice(-1);
  const rest = parts.slice(before.length);
  if (rest[0]?.startsWith(':') && begun !== '')
    return [[...typed, ...(rest.length > 1 ? [''] : [])].join('/')];
  const name = rest.findIndex((part) => part.startsWith(':'));
  if (name === 0) return []; // any name is possible here
  return [[...before, ...(name < 0 ? rest : [...rest.slice(0, name), ''])].join('/')];
}

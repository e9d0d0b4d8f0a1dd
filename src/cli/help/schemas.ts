// JSON schemas of replies for `svcctl help schema tasks.list`. Commands print the JSON reply of
// their endpoint.
import { areas } from '../../contract/index.ts';
import { jsonSchemaOf, replySchema } from '../../contract/openapi.ts';
import { formatJson } from '../../model/json.ts';
import { nearest } from '../../model/nearest.ts';
import { UsageError } from '../process/errors.ts';
import { commandTree } from './command-tree.ts';

/** The JSON Schemas of all JSON replies, by endpoint name, and of the command tree. */
export const replySchemas = (): ReadonlyMap<string, object & { readonly title: string }> =>
  new Map([
    ['command-tree', { ...jsonSchemaOf(commandTree), title: 'The answer of svcctl help --json' }],
    ...Object.entries(areas).flatMap(([area, endpoints]) =>
      Object.entries(endpoints).flatMap(([name, endpoint]) => {
        const schema = replySchema(endpoint);
        return schema ? [[`${area}.${name}`, { ...schema, title: endpoint.summary }] as const] : [];
      }),
    ),
  ]);

/**
 * The JSON Schema (2020-12) of an endpoint's reply; without a name, the endpoints with JSON
 * replies. Throws a usage error for an unknown name.
 */
export function schemaTopic(name: string | undefined): string {
  const known = replySchemas();
  if (name === undefined)
    return `Schemas\n\nWith -o json, keys are those of the service: "svcctl help schema NAME" prints the JSON Schema of what an endpoint replies.\n\n${[...known].map(([name, { title }]) => `  ${name.padEnd(44)}${title}\n`).join('')}`;
  const schema = known.get(name);
  if (schema)
    return `${formatJson({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }, '  ')}\n`;
  const near = nearest(name, [...known.keys()]);
  throw new UsageError(
    `unknown schema '${name}'`,
    near === undefined ? 'svcctl help schema lists them' : `did you mean ${near}?`,
  );
}

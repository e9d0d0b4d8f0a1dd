import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { ServiceError, UnexpectedReply } from '../../client/errors.ts';
import { lookups } from '../../contract/lookups.ts';
import { oneOf, optional } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, hints, lookup } from '../shared/lookups/lookup.ts';

interface Pair {
  readonly key: string;
  readonly value: string | null;
}

const columns = columnsOf<Pair>({ key: ({ key }) => key, value: ({ value }) => value });

export const contents = command({
  summary: 'List the entries of a lookup as the Broker has loaded it',
  examples: [
    'svcctl lookups contents countries',
    'svcctl lookups contents countries --output csv',
    'svcctl lookups contents countries --only keys',
  ],
  endpoints: [lookups.contents, lookups.keys, lookups.values, lookups.version],
  arguments: lookup,
  options: {
    only: optional(oneOf('keys', 'values', 'version'), 'Only the keys, the values or the version'),
  },
  completers,
  hints,
  columns,
  async run(context, { args, options: { only } }) {
    const { out } = context;
    const found = await contentsOf(context, args.lookup, only ?? 'contents');
    if (only !== undefined) return out.document(found);
    const pairs = Object.entries(Object(found));
    await out.rows(
      pairs.map(([key, value]) => ({ key, value: value === null ? null : String(value) })),
      columns,
    );
  },
});

async function contentsOf(
  { call }: Context,
  lookup: string,
  what: 'contents' | 'keys' | 'values' | 'version',
): Promise<unknown> {
  try {
    return await call(lookups[what], { params: { lookup } });
  } catch (error) {
    // The real engine prints keys and values in Java's format, which cannot be parsed.
    if (error instanceof UnexpectedReply && what === 'keys')
      return Object.keys(await call(lookups.contents, { params: { lookup } }));
    if (error instanceof UnexpectedReply && what === 'values')
      return Object.values(await call(lookups.contents, { params: { lookup } }));
    // The real engine replies 405 for a lookup that is not loaded, and only some types of lookups
    // report a version.
    if (error instanceof ServiceError && error.status === 405)
      throw new CommandError(
        'notFound',
        `Lookup [${lookup}] is not loaded there`,
        'svcctl lookups status shows whether it is being loaded',
      );
    if (error instanceof ServiceError && error.status === 404 && what === 'version')
      throw new CommandError(
        'notFound',
        `Lookup [${lookup}] has no version there`,
        `${commandLine`svcctl lookups get ${lookup}`} shows the one that was set`,
      );
    throw error;
  }
}

// Evaluation of an SQL statement over lists: the named lists are requested from every service and
// loaded into local tables.

import type { Context } from '../../cli/command/command.ts';
import { connectionOf } from '../../cli/command/connection.ts';
import { tracerOf } from '../../cli/command/trace.ts';
import type { Cell, Columns } from '../../cli/lists/columns.ts';
import type { LocalTables } from '../../cli/lists/local-tables.ts';
import { blocksOf } from '../../cli/lists/select.ts';
import type { Output } from '../../cli/output/output.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { readConfig } from '../../cli/profiles/profiles.ts';
import { withProfile } from '../../cli/profiles/settings.ts';
import { tables } from './tables.ts';

interface Question {
  readonly statement: string;
  readonly parameters: readonly unknown[];
  // Comma-separated names; without them, the current service
  readonly profiles: string | undefined;
}

/**
 * Prints the rows. Throws the errors of the lists, prefixed with the profile: a join without one of
 * the services would give a wrong answer.
 */
export async function askControlPlane(
  context: Context,
  { statement, parameters, profiles }: Question,
): Promise<void> {
  const { out, io } = context;
  const places = placesOf(context, profiles);
  const { localTables } = await import('../../cli/lists/local-tables.ts');
  const local = await localTables(await columnsOfAll());
  try {
    const names = local.readBy(statement);
    await Promise.all(
      places.flatMap(({ profile, place }) =>
        names.map((name) => fill(local, name, profile, place)),
      ),
    );
    const { columns, rows } = local.select(statement, parameters.map(cellOf));
    const isDocument =
      ['json', 'jsonl', 'yaml'].includes(out.format ?? (io.stdout.isTTY ? 'table' : 'tsv')) ||
      context.settings.query !== undefined;
    if (!isDocument) return await out.rows(rows, columns);
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])),
    );
    await out.rows(
      objects,
      columns.map(({ name }) => ({
        name,
        value: (row: Readonly<Record<string, Cell>>) => row[name],
      })),
    );
  } finally {
    local.close();
  }
}

async function columnsOfAll(): Promise<Record<string, Columns<never>>> {
  const loaded = await Promise.all(
    Object.entries(tables).map(async ([name, { load }]) => [name, (await load()).columns] as const),
  );
  return Object.fromEntries(
    loaded.flatMap(([name, columns]) =>
      columns === undefined || columns === 'dynamic' ? [] : [[name, columns]],
    ),
  );
}

function placesOf(
  context: Context,
  profiles: string | undefined,
): { profile: string; place: Context }[] {
  const { resolved, io, ask, signal } = context;
  if (profiles === undefined) return [{ profile: resolved.profileName ?? '', place: context }];
  const config = readConfig(io.env);
  return [...new Set(profiles.split(',').map((name) => name.trim()))].map((profile) => {
    if (profile === '')
      throw new UsageError(
        `Value [${profiles}] of --profiles has an empty name`,
        'it looks like --profiles eu,us',
      );
    const known = config.profiles[profile];
    if (!known)
      throw new UsageError(
        `Profile [${profile}], named by --profiles, does not exist`,
        `known profiles: ${Object.keys(config.profiles).join(', ')}`,
      );
    const there = withProfile(resolved, profile, known);
    const { settings } = there;
    const { call, list, connect } = connectionOf(there, io, {
      ask,
      signal,
      observe: tracerOf(settings, io),
    });
    return {
      profile,
      place: {
        ...context,
        call,
        list,
        connect,
        resolved: there,
        settings,
        service: settings.service,
        profile: there.profile,
      },
    };
  });
}

async function fill(
  local: LocalTables,
  name: string,
  profile: string,
  place: Context,
): Promise<void> {
  const table = tables[name];
  if (!table) return;
  try {
    const command = await table.load();
    await command.run(
      { ...place, out: into(local, name, profile, place.out) },
      { args: {}, options: table.options ?? {} },
    );
  } catch (error) {
    if (error instanceof Error && profile !== '')
      error.message = `Profile [${profile}], table [${name}]: ${error.message}`;
    throw error;
  }
}

const into = (local: LocalTables, table: string, profile: string, out: Output): Output => ({
  ...out,
  rows: async (rows, columns) => {
    for await (const block of blocksOf(rows)) local.insert(table, profile, block, columns);
  },
  note: () => {}, // notes about a list, not needed here
});

const cellOf = (value: unknown): Cell => {
  if (value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return value as Cell;
  throw new UsageError('Over the control plane a value for ? is a number, a text or a truth');
};

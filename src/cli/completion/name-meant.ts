// "Did you mean" suggestions for names from the service, based on the completers of the command.

import { nearest } from '../../model/nearest.ts';
import type { Command } from '../command/command.ts';
import type { Io } from '../process/io.ts';
import { liveNames } from './live-names.ts';

const most = 5000; // comparing more names would delay the error message

/**
 * The closest live name to an unknown argument or option. Undefined when none is close, or when the
 * service takes longer than a second.
 */
export async function nameMeant(
  command: Command,
  values: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<string | undefined> {
  for (const [name, completer] of Object.entries(command.completers ?? {})) {
    const value = values[name];
    if (typeof value !== 'string' || typeof completer !== 'function') continue;
    const line = { given, values: valuesBefore(name, command, values), typed: value };
    const names = await liveNames(`${command.summary}.${name}`, completer, line, io);
    const near = names.includes(value) || names.length > most ? undefined : nearest(value, names);
    if (near !== undefined) return near;
  }
  return undefined;
}

function valuesBefore(
  name: string,
  command: Command,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const args = Object.keys(command.arguments ?? {});
  const before = args.includes(name) ? args.slice(0, args.indexOf(name)) : args;
  return before.flatMap((one) =>
    values[one] === undefined ? [] : [values[one]].flat().map(String),
  );
}

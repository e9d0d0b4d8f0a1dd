// "Did you mean" for names that only the service knows: what completes a word on the line also
// knows what it may have been meant to be.

import { nearest } from '../../model/nearest.ts';
import type { Command } from '../command/command.ts';
import type { Io } from '../process/io.ts';
import { liveNames } from './live-names.ts';

const most = 5000; // more names take longer to compare than anybody waits for an error

/**
 * The live name nearest to an argument or option that is none itself; undefined when there is none,
 * or when the service does not answer within a second.
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

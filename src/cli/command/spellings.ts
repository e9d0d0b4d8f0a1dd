// Other spellings of the same input: a file is an argument or --file, and options keep working
// under their former names. Help shows one spelling.
import { isList, isOptional, meansOf, type Schema } from '../../contract/schema.ts';
import { UsageError } from '../process/errors.ts';
import { type FlagName, flagOf } from '../process/flags.ts';
import type { Command } from './command.ts';

interface HiddenOption {
  readonly name: string;
  readonly schema: Schema;
  readonly short?: string;
}

/** The options that a command takes without showing them. */
export function hiddenOptions(command: Command): readonly HiddenOption[] {
  const { arguments: args = {}, options = {}, formerly = {} } = command;
  const former = Object.entries(formerly).flatMap(([name, old]) => {
    const schema = options[name];
    return schema && old && old.without === undefined
      ? [{ name: old.name, schema, ...(old.short && { short: old.short }) }]
      : [];
  });
  const { file } = args;
  const isTaken = Object.values(command.shorts ?? {}).includes('f');
  return file && !isList(file) && !('file' in options)
    ? [...former, { name: 'file', schema: file, ...(!isTaken && { short: 'f' }) }]
    : former;
}

interface Given {
  readonly words: readonly string[]; // the arguments
  readonly values: readonly unknown[]; // the same, read
  readonly options: Readonly<Record<string, unknown>>;
}

/** The same input with every value under its shown name. Throws UsageError for one given twice. */
export function withShownNames(command: Command, given: Given): Given {
  const { arguments: args = {}, options: known = {}, formerly = {} } = command;
  const options = { ...given.options };
  for (const [name, old] of Object.entries(formerly)) {
    if (!old || !(old.name in options)) continue;
    if (old.without !== undefined && isShared(command, options, name, old.without)) continue;
    if (name in options) throw givenTwice(flagOf(name), flagOf(old.name));
    options[name] = options[old.name];
    delete options[old.name];
  }
  const names = Object.keys(args);
  const at = names.indexOf('file');
  if (at >= 0 && !('file' in known) && 'file' in options) {
    if (given.words.length > at) throw givenTwice('argument [file]', '--file');
    const { file, ...others } = options;
    return {
      words: [...given.words, String(file)],
      values: [...given.values.slice(0, at), file],
      options: others,
    };
  }
  const document = documentOption(command);
  const extra = given.words[names.length];
  if (document === undefined || extra === undefined || given.words.length > names.length + 1)
    return { ...given, options };
  if (document in options) throw givenTwice(flagOf(document), `argument [${extra}]`);
  return {
    words: given.words.slice(0, -1),
    values: given.values.slice(0, names.length),
    options: { ...options, [document]: extra },
  };
}

// A name that a shared flag has too means the option when the option applies, and the shared flag
// does not: --key names a column with --csv, and a private key with --cert.
function isShared(
  { needs = {} }: Command,
  given: Readonly<Record<string, unknown>>,
  name: string,
  without: FlagName,
): boolean {
  const needed = needs[name];
  return without in given || (needed !== undefined && !(String(needed) in given));
}

// The option whose file may stand behind the arguments. An argument that may be missing would take
// the file for itself.
function documentOption({ arguments: args = {}, options = {} }: Command): string | undefined {
  if (Object.values(args).some((schema) => isOptional(schema) || isList(schema))) return undefined;
  return ['file', 'dir'].find((name) => {
    const schema = options[name];
    return schema !== undefined && ['file', 'folder'].includes(meansOf(schema) ?? '');
  });
}

const givenTwice = (one: string, other: string) =>
  new UsageError(`The same value is given twice: as ${one} and as ${other}`, 'omit one of them');

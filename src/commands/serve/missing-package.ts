// A client-only installation has no DuckDB and no SQLite (npm leaves out optional packages that it
// cannot have), and so cannot serve.
import { CommandError } from '../../cli/process/errors.ts';

/** What to say of an error from loading a native package; undefined for any other error. */
export function missingPackage(error: unknown): CommandError | undefined {
  if (!(error instanceof Error)) return;
  const [, name] =
    /^Cannot find (?:module|package) '((?:@duckdb|@photostructure)\/[^/']+)/.exec(error.message) ??
    [];
  if (name !== undefined)
    return new CommandError(
      'usage',
      `The service needs package [${name}], which is not installed`,
      remedy,
    );
  if (!isUnloadable(error)) return;
  const [reason = ''] = error.message.split('\n');
  return new CommandError(
    'usage',
    `The service needs a native package that does not run on this machine: ${reason}`,
    remedy,
  );
}

const remedy =
  'install svcctl again, with npm install --include=optional; all other commands work without it';

// The dynamic linker's no, and those of the packages that choose a file by system and processor.
const isUnloadable = (error: Error) =>
  ('code' in error && error.code === 'ERR_DLOPEN_FAILED') ||
  /^No native build was found|^Error loading duckdb native binding/.test(error.message);

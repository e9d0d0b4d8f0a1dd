// Error for a client-only installation: without DuckDB and SQLite, svcctl cannot serve. npm leaves
// out optional packages that it cannot install.
import { CommandError } from '../../cli/process/errors.ts';

/** The error for a native package that fails to load; undefined for any other error. */
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

// Errors of the dynamic linker, and of packages that choose a binary by system and processor.
const isUnloadable = (error: Error) =>
  ('code' in error && error.code === 'ERR_DLOPEN_FAILED') ||
  /^No native build was found|^Error loading duckdb native binding/.test(error.message);

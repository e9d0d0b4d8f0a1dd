// End of the guided builder: the specification goes to a file, or to stdout.
import { existsSync, writeFileSync } from 'node:fs';
import type { Context } from '../../../cli/command/command.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { formatJson } from '../../../model/json.ts';

/**
 * Writes a specification. Without a file, a terminal is asked for one, and other places get it on
 * stdout. An existing file is replaced only after a question.
 */
export async function writeSpecification(
  { ask, out }: Pick<Context, 'ask' | 'out'>,
  specification: object,
  {
    given,
    usual,
    next,
  }: { given: string | undefined; usual: string; next: (file: string) => string },
): Promise<void> {
  const file =
    given ??
    (ask.possible
      ? await ask.text('Write the specification to the file (- prints it):', '--out', usual)
      : '-');
  if (file === '-') return out.document(specification);
  if (
    given === undefined &&
    existsSync(file) &&
    !(await ask.yes(`File [${file}] exists. Replace it?`, '--out'))
  )
    throw new CommandError(
      'refused',
      `File [${file}] exists and is not replaced`,
      '--out FILE writes another one',
    );
  try {
    writeFileSync(file, `${formatJson(specification, '  ')}\n`);
  } catch (error) {
    throw new CommandError(
      'failed',
      `File [${file}] cannot be written: ${(error as Error).message}`,
    );
  }
  out.changed(file, `The specification is in file [${file}].`, next(file));
}

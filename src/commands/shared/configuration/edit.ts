// Editing of one configuration object: it is read, opened as YAML, checked, compared by meaning,
// and set unless it has changed meanwhile.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../cli/command/command.ts';
import { EditorFailed, editText } from '../../../cli/input/editor.ts';
import { yamlIn, yamlOf } from '../../../cli/output/yaml.ts';
import { CommandError, DryRunEnds, UsageError } from '../../../cli/process/errors.ts';
import {
  choicesOf,
  descriptionOf,
  fieldsOf,
  isOptional,
  itemOf,
  type Schema,
} from '../../../contract/schema.ts';
import type { Area, AreaSignature } from './area.ts';
import { clusterOf } from './areas.ts';
import { type ConfigurationChange, changesBetween, digestOf } from './changes.ts';
import { oneLineOf } from './one-line.ts';

interface Edit {
  readonly area: Area;
  readonly name: string;
  readonly what: string; // subject of sentences: The rules of datasource [wiki]
  // The initial document for a missing object; without it, a missing object is an error
  readonly empty?: unknown;
  readonly signature: AreaSignature;
  readonly next: string; // the command to show the result
  readonly confirm?: (document: unknown) => Promise<void>; // asks if the change is dangerous
}

/**
 * Throws a conflict when the object has changed meanwhile. The edited text is then kept in a file
 * that the error names.
 */
export async function edit(
  context: Context,
  { area, name, what, empty, signature, next, confirm }: Edit,
): Promise<void> {
  const { ask, out, dryRun, io } = context;
  const cluster = clusterOf(context, {});
  const readDocument = async () => (await area.read(cluster)).get(name);
  const live = await readDocument();
  if (live === undefined && empty === undefined)
    throw new CommandError('notFound', `${what}: there is none`);
  const offered = `${introduction(what, area.schema(name))}${yamlOf(live ?? empty)}`;
  let text = offered;
  for (;;) {
    try {
      text = await editText(text, `${area.name}-${name.replaceAll(/[^\w.-]/g, '_')}.yaml`, io);
      const change = changeTo(area, name, live ?? empty, text);
      if (!change) return out.note('Nothing was changed.');
      for (const { path, before, after } of change.differences)
        out.note(
          `${path}: ${oneLineOf(before) ?? '(nothing)'} -> ${oneLineOf(after) ?? '(nothing)'}`,
        );
      await confirm?.(change.document);
      const comment =
        signature.comment ??
        (ask.possible ? await ask.text('Comment (may be empty):', '--comment', '') : '');
      if (digestOf(area, name, await readDocument()) !== digestOf(area, name, live))
        throw new CommandError(
          'conflict',
          `${what}: changed by another user meanwhile; nothing was sent`,
          'edit the current version again',
        );
      await area.set(
        cluster,
        name,
        { document: change.document, live },
        { ...signature, ...(comment !== '' && { comment }) },
      );
      if (!dryRun) out.changed(name, `${what}: changed.`, next);
      return;
    } catch (error) {
      if (error instanceof DryRunEnds || !(error instanceof Error)) throw error;
      if (error instanceof UsageError && ask.possible) {
        out.note(`error: ${error.message}`);
        if (await ask.yes('Edit again?', '--yes')) {
          text = withProblem(text, error.message);
          continue;
        }
      }
      const left = error instanceof EditorFailed ? error.left : text;
      if (left !== offered)
        out.warn(`Your edits are saved in ${writeTemporaryFile(left, area.name)}`);
      throw error;
    }
  }
}

function changeTo(
  area: Area,
  name: string,
  live: unknown,
  text: string,
): ConfigurationChange | undefined {
  const document = documentIn(text);
  // An empty file cancels the change
  if (document === null || document === undefined) return;
  const things = [{ area: area.name, name, document }];
  const [change] = changesBetween(new Map([[area.name, new Map([[name, live]])]]), {
    areas: [area.name],
    things,
  });
  return change;
}

function documentIn(text: string): unknown {
  try {
    return yamlIn(text);
  } catch (error) {
    throw new UsageError(`The edited text is not YAML: ${(error as Error).message.trim()}`);
  }
}

function introduction(what: string, schema: Schema): string {
  const fields = Object.entries(fieldsOf(itemOf(schema) ?? schema) ?? {});
  const lines = fields.map(([name, field]) => {
    const said = [
      choicesOf(field)?.join(' | '),
      descriptionOf(field),
      isOptional(field) ? '' : 'required',
    ]
      .filter(Boolean)
      .join('; ');
    return `  ${name}${said && `: ${said}`}`;
  });
  return [
    `${what}.`,
    'Save and quit to apply the change. Quit without a change, or delete everything, to cancel.',
    ...lines,
  ]
    .map((line) => `# ${line}\n`)
    .join('');
}

const problemMark = '# error: ';
const withProblem = (text: string, problem: string) =>
  `${problemMark}${problem.replaceAll('\n', ' ')}\n${text
    .split('\n')
    .filter((line) => !line.startsWith(problemMark))
    .join('\n')}`;

function writeTemporaryFile(text: string, area: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'svcctl-edited-')), `${area}.yaml`); // in a folder of its own: nobody else has put a link there
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

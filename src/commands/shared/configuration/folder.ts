// Folder of configuration files. A file is written aside and renamed, so readers and crashes never
// leave half a file.
import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { yamlFileOf, yamlIn } from '../../../cli/output/yaml.ts';
import { CommandError, UsageError } from '../../../cli/process/errors.ts';
import { check, integer, listOf, object, text } from '../../../contract/schema.ts';
import { isSame } from '../../../model/difference.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { areaNames } from './areas.ts';
import { nameOf, pathOf } from './layout.ts';

export interface Thing {
  readonly area: string;
  readonly name: string;
  readonly document: unknown;
}

/** The areas in a folder, with their objects. Areas without files are not compared. */
export interface Files {
  readonly areas: readonly string[];
  readonly things: readonly Thing[];
}

export interface Written {
  readonly files: number;
  readonly changed: number;
  readonly stale: readonly string[]; // files of removed objects
}

// Lists the exported areas: git does not keep the empty folder of an area without objects.
const marker = 'svcctl.yaml';
const markerSchema = object({ format: integer, areas: listOf(text) });
const format = 1;

/**
 * Writes a file for each object; unchanged files stay untouched. Stale files are deleted when
 * `prune` is set.
 */
export function writeFiles(folder: string, { areas, things }: Files, prune: boolean): Written {
  const before = findMarker(folder)?.areas ?? [];
  const taken = new Set<string>();
  const wanted = new Map(
    things.map(({ area, name, document }) => [pathOf(area, name, taken), document]),
  );
  let changed = 0;
  for (const path of wanted.keys()) checkLinks(folder, path);
  for (const area of areas) checkLinks(folder, `${area}/`);
  for (const [path, document] of wanted)
    if (writeAside(join(folder, path), yamlFileOf(document))) changed++;
  const all = areaNames.filter((name) => areas.includes(name) || before.includes(name));
  writeAside(join(folder, marker), yamlFileOf({ format, areas: all }));
  const stale = areas
    .flatMap((area) => filesIn(folder, area))
    .filter((path) => !wanted.has(path) && nameOf(path));
  if (prune) for (const path of stale) rmSync(join(folder, path), { force: true });
  return { files: wanted.size, changed, stale };
}

/** Reads a folder; throws a usage error with the name of an invalid file. */
export function readFiles(folder: string): Files {
  const areas =
    findMarker(folder)?.areas ?? areaNames.filter((area) => filesIn(folder, area).length > 0);
  if (areas.length === 0)
    throw new UsageError(
      `Folder [${folder}] holds no configuration of a cluster`,
      `${commandLine`svcctl export --dir ${folder}`} writes one`,
    );
  const things = areas.flatMap((area) =>
    filesIn(folder, area).flatMap((path) => {
      const named = nameOf(path);
      if (!named && /\.(ya?ml|json)$/i.test(path)) throw misplaced(join(folder, path), area);
      return named ? [{ ...named, document: documentIn(join(folder, path)) }] : [];
    }),
  );
  return { areas, things };
}

// An ignored file would mislead its author, who expects it to be compared and applied.
const misplaced = (file: string, area: string) =>
  new UsageError(
    `File [${file}] has no place in the configuration: files are ${area === 'lookups' ? 'lookups/TIER/NAME.yaml' : `${area}/NAME.yaml`}`,
    'rename it, or move it out of the folder',
  );

function findMarker(folder: string) {
  const file = join(folder, marker);
  const document = documentIn(file, true);
  if (document === undefined) return;
  let said: { format: number; areas: string[] };
  try {
    said = check(markerSchema, document);
  } catch (error) {
    throw unusable(file, error);
  }
  if (said.format !== format)
    throw new UsageError(
      `File [${file}] is of format [${said.format}], which this svcctl does not know`,
      'a newer svcctl wrote it: use that',
    );
  const strange = said.areas.find((area) => !areaNames.some((name) => name === area));
  if (strange !== undefined)
    throw new UsageError(
      `File [${file}] names area [${strange}]: there are ${areaNames.join(', ')}`,
    );
  return said;
}

function documentIn(file: string, mayBeAbsent = false): unknown {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayBeAbsent && (code === 'ENOENT' || code === 'ENOTDIR')) return;
    throw unusable(file, error);
  }
  try {
    return yamlIn(content);
  } catch (error) {
    throw unusable(file, error);
  }
}

export const unusable = (file: string, error: unknown) =>
  new UsageError(`File [${file}] cannot be used: ${(error as Error).message.trim()}`);

// Sorted paths below the folder, with slashes on every system.
function filesIn(folder: string, area: string): string[] {
  try {
    const entries = readdirSync(join(folder, area), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new UsageError(`Folder [${join(folder, area)}] cannot be read: ${message}`);
  }
}

// A symbolic link in the folder, perhaps from another user, would redirect writes and deletions.
function checkLinks(folder: string, path: string): void {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const part = join(folder, path.slice(0, at));
    if (lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(
        `Folder [${part}] is a symbolic link: nothing is written or removed behind it`,
        'remove the link, or export to another folder',
      );
  }
}

/**
 * Writes a text unless the file has it already; returns whether it did. `mode` is for private
 * files.
 */
export function writeAside(file: string, content: string, mode = 0o666): boolean {
  const aside = join(dirname(file), `.svcctl-${randomUUID()}.tmp`);
  try {
    if (hasText(file, content)) return false;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(aside, content, { mode, flush: true, flag: 'wx' });
    renameSync(aside, file);
    return true;
  } catch (error) {
    rmSync(aside, { force: true });
    throw new CommandError(
      'failed',
      `File [${file}] cannot be written: ${(error as Error).message}`,
    );
  }
}

// A file with an equivalent document may be handwritten, with comments: it stays.
function hasText(file: string, content: string): boolean {
  try {
    const present = readFileSync(file, 'utf8');
    return present === content || isSame(yamlIn(present), yamlIn(content));
  } catch {
    return false;
  }
}

// Choices of a question for a file: what a shell's Tab would offer.
import { readdirSync, statSync } from 'node:fs';
import { visibleLine } from '../../model/visible-text.ts';

const most = 200; // entries of a folder

/**
 * The files and folders that begin with the typed text; folders end with a slash. A text that
 * names no file is the last choice, because it may be an address.
 */
export function fileChoices(typed: string): readonly { value: string; name: string }[] {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const begun = typed.slice(folder.length);
  const found = entriesOf(folder === '' ? '.' : folder)
    .filter((name) => name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')))
    .slice(0, most)
    .map((name) => `${folder}${name}`);
  const isName = typed !== '' && !typed.endsWith('/') && !found.includes(typed);
  const all = isName ? [...found, typed] : found;
  return all.map((value) => ({ value, name: visibleLine(value) }));
}

/** Whether a choice is a file; a folder is opened instead. */
export const isFileChoice = (choice: string): true | string =>
  choice.endsWith('/') ? 'this is a folder: type on to choose a file in it' : true;

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => (isFolder(folder, entry) ? `${entry.name}/` : entry.name))
      .sort();
  } catch {
    return []; // it does not exist, or may not be read
  }
}

function isFolder(
  folder: string,
  entry: { readonly name: string; isDirectory(): boolean; isSymbolicLink(): boolean },
): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(`${folder}/${entry.name}`, { throwIfNoEntry: false })?.isDirectory() === true;
}

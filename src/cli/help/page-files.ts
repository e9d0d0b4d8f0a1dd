// Pages of commands as files of the program: dist/pages/NOUN.json. The build writes them from the
// declarations, so that help and completion do not load the declarations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '../command/page.ts';

/** The file of the program's own page; the others have the names of nouns. */
export const programFile = 'svcctl';

/** The pages of a noun, or of the program, below the folder of the program. */
export const readPages = (folder: string, noun: string): readonly Page[] =>
  JSON.parse(readFileSync(join(folder, 'pages', `${noun}.json`), 'utf8'));

/** The text of each file. The pages have only the names of shared flags. */
export function pageFiles(pages: readonly Page[]): ReadonlyMap<string, string> {
  const files = new Map<string, object[]>();
  for (const page of pages) {
    const name = `${page.words[0] ?? programFile}.json`;
    const shared = Object.fromEntries(
      Object.entries(page.shared).map(([group, items]) => [
        group,
        items.map(({ name }) => ({ name })),
      ]),
    );
    files.set(name, [...(files.get(name) ?? []), { ...page, shared, endpoints: [] }]);
  }
  return new Map([...files].map(([name, all]) => [name, JSON.stringify(all)]));
}

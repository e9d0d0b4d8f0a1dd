// Paths into JSON, in the syntax of flatten specifications and in DuckDB's.

/** A member by name, an item by number (negative from the end), or all items. */
export type PathStep = { readonly name: string } | { readonly index: number } | 'all';

/**
 * Reads a JSONPath of plain steps: `$.a.b`, `$['a'][0]`, `$.a[*].b`. Undefined for anything else
 * (filters, functions, `..`).
 */
export function parseJsonPath(text: string): PathStep[] | undefined {
  return text.startsWith('$') ? parseSteps(text.slice(1)) : undefined;
}

/**
 * Reads a jq program that is a plain path: `.a.b[0]`, `.["a"]`. Undefined for anything else, such
 * as `.a + 1`.
 */
export function parseJqPath(text: string): PathStep[] | undefined {
  const program = text.trim();
  if (program === '.') return [];
  return program.startsWith('.') && isJqPath.test(program)
    ? parseSteps(program.replace(/^\.\[/, '['))
    : undefined;
}

const isJqPath = /^\.?(?:\.[A-Za-z_]\w*|\."[^"]*"|\[-?\d+\]|\["[^"]*"\])+$/;

/** The path in the syntax of DuckDB's json_extract. */
export const duckdbPath = (steps: readonly PathStep[]): string =>
  `$${steps.map((step) => (step === 'all' ? '[*]' : 'name' in step ? `."${step.name.replaceAll('"', '""')}"` : indexText(step.index))).join('')}`;

const indexText = (index: number) => (index < 0 ? `[#${index}]` : `[${index}]`);

function parseSteps(text: string): PathStep[] | undefined {
  const steps: PathStep[] = [];
  const step =
    /\.([^.[\]*'"()?@]+)|\[(-?\d{1,9})\]|\[\*\]|\.\*|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\."((?:[^"\\]|\\.)*)"/y;
  while (step.lastIndex < text.length) {
    const found = step.exec(text);
    if (!found) return undefined;
    const [all, plain, index, ...quotedNames] = found;
    const name =
      plain ?? quotedNames.find((quotedName) => quotedName !== undefined)?.replace(/\\(.)/g, '$1');
    if (name !== undefined) steps.push({ name });
    else if (index !== undefined) steps.push({ index: Number(index) });
    else if (all === '[*]') steps.push('all');
    else return undefined;
  }
  return steps;
}

// Findings of a diagnosis, each with a remedy. `why` prints them as a chain, `cluster doctor` as a
// list.

import { firstCauseIn } from '../../model/stack-trace.ts';
import { visibleLine } from '../../model/visible-text.ts';
import { type Columns, columnsOf } from '../lists/columns.ts';
import { painterOn } from '../output/painter.ts';
import { marksFor } from '../terminal/marks.ts';
import { wrap } from '../terminal/wrapped.ts';
import type { Context } from './command.ts';

export interface Finding {
  readonly check: string; // the subject of the check
  readonly state: 'ok' | 'note' | 'warning' | 'critical';
  readonly says: string; // a sentence
  readonly remedy?: string; // a command
  readonly facts?: object; // the numbers behind it, for programs
}

export const findingColumns: Columns<Finding> = columnsOf<Finding>({
  check: ({ check }) => check,
  state: { value: ({ state }) => state, kind: 'state' },
  says: ({ says }) => says,
  remedy: ({ remedy }) => remedy,
});

/** Sentences on a terminal, rows elsewhere. */
export async function printFindings(
  { out, io, resolved }: Pick<Context, 'out' | 'io' | 'resolved'>,
  found: readonly Finding[],
  { numbered = false }: { readonly numbered?: boolean } = {},
): Promise<void> {
  const findings = withoutTraces(found) as readonly Finding[];
  const { stdout, env } = io;
  const isTable =
    out.format === undefined ? stdout.isTTY : out.format === 'table' || out.format === 'wide';
  if (!isTable || out.looksAtValues) return out.rows(findings, findingColumns);
  const painter = await painterOn(stdout, resolved, env);
  const marks = marksFor(env);
  const width = Math.max(16, Math.min((stdout.isTTY && stdout.columns) || 120, 120));
  const heads = findings.map(({ check }, at) =>
    visibleLine(numbered ? `${at + 1}. ${check}` : check),
  );
  const indent = Math.min(
    Math.max(...heads.map((head) => head.length), 0) + 4,
    Math.floor(width / 3),
  );
  const said = findings.map(({ state, says, remedy }, at) => {
    const head = `${painter.state(marks[state], state)} ${heads[at]}`;
    const length = (heads[at] ?? '').length + 2;
    const lines = [
      ...wrap(visibleLine(says), width - indent).split('\n'),
      ...(remedy === undefined ? [] : [`${marks.next} ${visibleLine(remedy)}`]),
    ];
    const [first = '', ...rest] = lines.map((line) => ' '.repeat(indent) + line);
    return length < indent ? [head + first.slice(length), ...rest] : [head, first, ...rest];
  });
  await out.text(said.map((lines) => `${lines.join('\n')}\n`));
}

// Stack traces of the service are long and help only its developers: `tasks report` has them.
function withoutTraces(value: unknown): unknown {
  if (typeof value === 'string') return firstCauseIn(value);
  if (Array.isArray(value)) return value.map(withoutTraces);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withoutTraces(item)]),
  );
}

// Examples of the engine's own documentation, over columns of the test's data: each is answered as
// a real 33.0.0 answers it, or differs for a reason.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { areSame, differenceOf } from '../fuzz/sql/compare.js';
import { jsonOf, serviceAt, shown, tableOf } from '../fuzz/sql/service.js';

interface Example {
  readonly page: string;
  readonly statement?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly reply: string;
  readonly differs?: string; // why
}

const lines = readFileSync(new URL('documentation-examples.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const examples = lines.map((line) => JSON.parse(line) as Example);
const pages = [...new Set(examples.map(({ page }) => page))];

let service: Service;
let druid: ReturnType<typeof serviceAt>;
beforeAll(async () => {
  const allowedFolders = [fileURLToPath(new URL('../../src/demo', import.meta.url))];
  service = await startServer({ port: 0, service: 'druid', engineVersion: 33, allowedFolders });
  druid = serviceAt(service.url);
  await druid.load();
}, 60_000);
afterAll(() => service.close());

test('there are examples of every page that has some', () => {
  expect(examples.length).toBeGreaterThanOrEqual(220);
  expect(examples.filter(({ differs }) => differs !== undefined).length).toBeLessThan(
    examples.length / 20,
  );
});

describe.each(pages)('%s', (page) => {
  test.each(
    examples
      .filter((example) => example.page === page)
      .map((example) => [nameOf(example), example] as const),
  )('%s', async (_, example) => {
    const difference = await differenceIn(example);
    if (example.differs === undefined) expect(difference ?? 'as there').toBe('as there');
    else expect(difference, 'it differs no more').toBeDefined();
  });
});

function nameOf({ statement, query }: Example): string {
  const text = statement ?? JSON.stringify(query);
  return text.length > 100 ? `${text.slice(0, 100)} ...` : text;
}

// Segments have other versions and come in another order.
function comparable(reply: unknown): unknown {
  if (Array.isArray(reply) && reply.every((part) => 'numRows' in part))
    return reply.map(({ id: _, ...part }) => part);
  if (!Array.isArray(reply) || !reply.some((part) => 'segmentId' in part)) return reply;
  const events = reply.flatMap(({ columns, events }) =>
    events.map((event: unknown) => ({ columns, event })),
  );
  return events.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

async function differenceIn({
  statement,
  query,
  status,
  reply,
}: Example): Promise<string | undefined> {
  if (statement !== undefined) {
    const difference = differenceOf(
      await druid.ask(statement),
      tableOf(status, reply),
      [],
      /DISTINCT/.test(statement),
    );
    return difference && `${difference.kind}: ${difference.detail}`;
  }
  const own = await druid.askNative(query ?? {});
  if (own.status !== status)
    return `status ${own.status} instead of ${status}: ${own.text.slice(0, 200)}`;
  const [ours, theirs] = [own.text, reply].map((text) => comparable(jsonOf(text)));
  return status !== 200 || areSame(ours, theirs)
    ? undefined
    : `${shown(ours).slice(0, 500)} instead of ${shown(theirs).slice(0, 500)}`;
}

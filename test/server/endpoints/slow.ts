// Queries that take longer than anybody waits, and what can be done about them.
import type { World } from './cases.ts';

const names = Array.from({ length: 25 }, (_, at) => `wiki AS w${at}`);
export const slowSql = `SELECT COUNT(*) FROM ${names.join(', ')}`;

// Rows with one key, which all rows of the other side meet.
const many = {
  type: 'inline',
  columnNames: ['key'],
  columnTypes: ['LONG'],
  rows: Array.from({ length: 60_000 }, () => [0]),
};
const withMany = (left: object, prefix: string) => ({
  type: 'join',
  left,
  right: many,
  rightPrefix: prefix,
  condition: `0 == "${prefix}key"`,
  joinType: 'INNER',
});
export const slowNative = {
  queryType: 'timeseries',
  dataSource: withMany(withMany({ type: 'table', name: 'wiki' }, 'a.'), 'b.'),
  intervals: ['0000/3000'],
  granularity: 'all',
  aggregations: [{ type: 'count', name: 'rows' }],
};

/** Cancels a query of SQL or a native one as soon as it runs. */
export function cancelSoon({ ask }: World, path: '/svc/v2/sql' | '/svc/v2', queryId: string): void {
  const timer = setInterval(async () => {
    await ask(`DELETE ${path}/${queryId}`).catch((error) => {
      const isThere = error instanceof Error && error.message.includes('was refused'); // it does not run yet, or any more
      if (!isThere) clearInterval(timer);
    });
  }, 50);
  timer.unref();
}

/** The id of the queries that `running` starts: whoever cancels one cancels all of them. */
export const runningId = 'running';

/** Starts a query that runs until it is cancelled, and returns its id as soon as it does. */
export async function running({ send }: World, path: '/svc/v2/sql' | '/svc/v2/'): Promise<string> {
  const id = runningId;
  const limits = { timeout: 100_000 };
  const query =
    path === '/svc/v2/'
      ? { ...slowNative, context: { ...limits, queryId: id } }
      : { query: slowSql, context: { ...limits, sqlQueryId: id } };
  const ended = send(`POST ${path}`, query).then(({ text }) =>
    Promise.reject(new Error(`The query ended too soon: ${text}`)),
  );
  const seen = async () => {
    const { status } = await send(
      `DELETE ${path.replace(/\/$/, '')}/${id}`,
      undefined,
      'stranger:stranger',
    );
    return status === 403; // to nobody else it is said that there is one
  };
  await Promise.race([ended, untilTrue(seen)]);
  ended.catch(() => undefined);
  return id;
}

async function untilTrue(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((wake) => setTimeout(wake, 30));
}

/**
 * Takes the only place of a service that lets in one query at a time, for longer than anybody asks.
 * Returns where that service is.
 */
export async function occupied({ withOneQuery }: World): Promise<string> {
  const { url, send } = await withOneQuery();
  const ask = (query: string) => send('POST /svc/v2/sql', { query, context: { timeout: 100_000 } });
  for (;;) {
    let ended = false;
    const end = () => {
      ended = true; // it came while the other one was there, and was refused itself
    };
    ask(slowSql).then(end, end);
    while (!ended) if ((await ask('SELECT COUNT(*) FROM wiki')).status === 429) return url;
  }
}

// Queries that take longer than anybody waits, and what can be done about them.
import type { World } from './cases.ts';

const names = Array.from({ length: 25 }, (_, at) => `wiki AS w${at}`);
export const slowSql = `SELECT COUNT(*) FROM ${names.join(', ')}`;

const many = { type: 'inline', columnNames: ['a'], columnTypes: ['LONG'], rows: Array.from({ length: 60_000 }, (_, index) => [index]) };
export const slowNative = {
  queryType: 'timeseries',
  dataSource: {
    type: 'join',
    left: { type: 'join', left: many, right: many, rightPrefix: 'r.', condition: '"a" < "r.a"', joinType: 'INNER' },
    right: { type: 'query', query: { queryType: 'scan', dataSource: 'wiki', columns: ['n'], intervals: ['0000/3000'] } },
    rightPrefix: 'w.',
    condition: '"a" > "w.n"',
    joinType: 'INNER',
  },
  intervals: ['0000/3000'],
  granularity: 'all',
  aggregations: [{ type: 'count', name: 'rows' }],
};

/** Cancels a query of SQL or a native one as soon as it runs. */
export function cancelSoon({ ask }: World, path: '/svc/v2/sql' | '/svc/v2', queryId: string): void {
  let left = 100;
  const timer = setInterval(async () => {
    if (--left === 0) clearInterval(timer);
    await ask(`DELETE ${path}/${queryId}`).catch(() => undefined); // it does not run yet, or any more
  }, 50);
  timer.unref();
}

/** Starts a query that ends by itself after some seconds, and returns its id as soon as it runs. */
export async function running({ send }: World, path: '/svc/v2/sql' | '/svc/v2/'): Promise<string> {
  const id = `running-${Math.random()}`;
  const limits = { timeout: 4000 };
  const query =
    path === '/svc/v2/'
      ? { ...slowNative, context: { ...limits, queryId: id } }
      : { query: slowSql, context: { ...limits, sqlQueryId: id } };
  const ended = send(`POST ${path}`, query).then(({ text }) => Promise.reject(new Error(`The query ended too soon: ${text}`)));
  const seen = async () => {
    const { status } = await send(`DELETE ${path.replace(/\/$/, '')}/${id}`, undefined, 'stranger:stranger');
    return status === 403; // to nobody else it is said that there is one
  };
  await Promise.race([ended, untilTrue(seen)]);
  ended.catch(() => undefined);
  return id;
}

async function untilTrue(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((wake) => setTimeout(wake, 30));
}

/** Takes all places with slow queries and lets others wait behind them until one more is refused. They end by themselves. */
export async function flood({ send }: World): Promise<void> {
  const ask = (query: string) => send('POST /svc/v2/sql', { query, context: { timeout: 20_000 } });
  for (let places = 12; places > 0; places--) ask(slowSql).catch(() => undefined); // the service may be gone by then
  const others = Array.from({ length: 110 }, async () => {
    const { status } = await ask('SELECT COUNT(*) FROM wiki');
    if (status !== 429) throw new Error(`It was let in: ${status}`);
  });
  await Promise.any(others);
}

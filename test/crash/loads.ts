// Loads for crash tests. Each load has a number in all of its rows, so that loads can be counted,
// and rows on several days, so that it creates several segments.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { startServed } from '../support/served.js';

export type Served = Awaited<ReturnType<typeof startServed>>;
export type Engine = 'native' | 'sql';

const days = 3;
const rowsPerDay = 40;

/** Submits a load and returns the id of its task. Throws when the service is gone. */
export async function submitLoad(
  { url }: Served,
  load: number,
  engine: Engine,
  context = {},
): Promise<string> {
  if (engine === 'sql')
    return (
      await post<{ taskId: string }>(`${url}/svc/v2/sql/task`, { query: insertOf(load), context })
    ).taskId;
  const inputSource = { type: 'inline', data: rowsOf(load) };
  return (
    await post<{ task: string }>(`${url}/svc/indexer/v1/task`, taskOf(inputSource, true, context))
  ).task;
}

/**
 * Submits a load that replaces all others and reads its rows from a URL. Other loads may append
 * while it runs. Returns the id of its task.
 */
export async function submitReplacement({ url }: Served, uri: string): Promise<string> {
  const task = taskOf({ type: 'http', uris: [uri] }, false, { useConcurrentLocks: true });
  return (await post<{ task: string }>(`${url}/svc/indexer/v1/task`, task)).task;
}

/**
 * Status of a task (SUCCESS, FAILED or RUNNING) and the reason of its failure. Throws when the
 * service is gone.
 */
export async function statusOf(
  { url }: Served,
  taskId: string,
): Promise<{ statusCode: string; errorMsg: string | null }> {
  const reply = await fetch(`${url}/svc/indexer/v1/task/${encodeURIComponent(taskId)}/status`);
  const { status } = (await reply.json()) as {
    status: { statusCode: string; errorMsg: string | null };
  };
  return status;
}

/** Waits for the end of a task, at most two minutes. */
export async function endOf(service: Served, taskId: string) {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
    const status = await statusOf(service, taskId);
    if (status.statusCode !== 'RUNNING') return status;
  }
  throw new Error(`Task [${taskId}] did not end`);
}

/**
 * Waits until no task runs or waits, at most two minutes. This includes tasks whose submission was
 * stored but never acknowledged.
 */
export async function atRest(service: Served): Promise<void> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) {
    const left = await query(
      service,
      "SELECT task_id FROM sys.tasks WHERE status IN ('RUNNING', 'PENDING', 'WAITING')",
    );
    if (left.length === 0) return;
  }
  throw new Error('Tasks do not end');
}

/** Numbers of the visible loads. Throws when a load is visible in part. */
export async function wholeLoadsIn(service: Served): Promise<number[]> {
  const rows = await query<{ load: number; rows: number; days: number }>(
    service,
    'SELECT "load", COUNT(*) AS "rows", COUNT(DISTINCT TIME_FLOOR(__time, \'P1D\')) AS "days" FROM "loads" GROUP BY 1 ORDER BY 1',
  ).catch((error: Error) => {
    if (error.message.includes("Object 'loads' not found")) return []; // nothing was ever loaded
    throw error;
  });
  const broken = rows.filter((row) => row.rows !== days * rowsPerDay || row.days !== days);
  if (broken.length) throw new Error(`Loads are visible in part: ${JSON.stringify(broken)}`);
  return rows.map(({ load }) => Number(load));
}

/** Number of the service's segments. Throws when other files are on the disk than theirs. */
export async function segmentsOnDisk(service: Served, dataDir: string): Promise<number> {
  const known = await query(service, 'SELECT segment_id FROM sys.segments');
  // The service removes files left by a crash while it already answers requests.
  let files = 0;
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    const entries = await readdir(join(dataDir, 'segments'), {
      recursive: true,
      withFileTypes: true,
    });
    files = entries.filter((entry) => entry.isFile()).length;
    if (files === known.length) return files;
  }
  throw new Error(`The service knows ${known.length} segments, and there are ${files} files`);
}

/** Waits until a condition holds, at most two minutes. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await holds()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error('This did not happen in time');
  }
}

/** Enables or disables the only worker. */
export async function setWorker({ url }: Served, verb: 'enable' | 'disable'): Promise<void> {
  const [
    {
      worker: { host },
    },
  ] = (await (await fetch(`${url}/svc/indexer/v1/workers`)).json()) as [
    { worker: { host: string } },
  ];
  await post(`${url}/svc/indexer/v1/worker/${host}/${verb}`, {});
}

export async function query<T>({ url }: Served, text: string): Promise<T[]> {
  return post<T[]>(`${url}/svc/v2/sql`, {
    query: text,
    context: { useApproximateCountDistinct: false },
  });
}

export async function post<T>(url: string, body: unknown): Promise<T> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The rows of a load, as lines of JSON. */
export function rowsOf(load: number): string {
  const rows = Array.from({ length: days * rowsPerDay }, (_, at) =>
    JSON.stringify({
      time: `2024-05-0${1 + (at % days)}T00:00:${String(at % 60).padStart(2, '0')}Z`,
      load,
      row: at,
    }),
  );
  return rows.join('\n');
}

const insertOf = (
  load: number,
) => `INSERT INTO "loads" SELECT TIME_PARSE("time") AS __time, "load", "row"
  FROM TABLE(EXTERN('${JSON.stringify({ type: 'inline', data: rowsOf(load) })}', '{"type":"json"}')) EXTEND ("time" VARCHAR, "load" BIGINT, "row" BIGINT)
  PARTITIONED BY DAY`;

const taskOf = (inputSource: object, appendToExisting: boolean, context: object) => ({
  type: 'index_parallel',
  context,
  spec: {
    dataSchema: {
      dataSource: 'loads',
      timestampSpec: { column: 'time', format: 'iso' },
      dimensionsSpec: { dimensions: ['load', 'row'].map((name) => ({ type: 'long', name })) },
      granularitySpec: {
        segmentGranularity: 'DAY',
        queryGranularity: 'NONE',
        rollup: false,
        intervals: ['2024-05-01/2024-05-04'],
      },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource,
      inputFormat: { type: 'json' },
      appendToExisting,
    },
  },
});

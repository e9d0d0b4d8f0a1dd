// Entry of a planning worker: answers one job after the other. The main thread ends the worker to end a job.
import { parentPort, workerData } from 'node:worker_threads';
import { InvalidTime } from '../../model/instant.ts';
import { makePrintable, parseJson } from '../../model/json.ts';
import type { BoundParameter } from '../../sql/parameters.ts';
import { SqlError } from '../../sql/sql-error.ts';
import type { Job, Outcome, WorkerStart } from './messages.ts';
import { type PlanRequest, planOf } from './plan.ts';
import { CatalogThrew, remoteCatalog } from './remote-catalog.ts';

const catalog = remoteCatalog(workerData as WorkerStart);

parentPort?.on('message', (job: Job) => parentPort?.postMessage(outcomeOf(job)));

function outcomeOf(job: Job): Outcome {
  try {
    return { kind: 'planned', plan: planOf(requestOf(job), catalog) };
  } catch (error) {
    if (error instanceof CatalogThrew) return { kind: 'thrown', id: error.id };
    if (error instanceof InvalidTime) return { kind: 'invalidTime', message: error.message };
    if (error instanceof SqlError) {
      const { message, category, code, persona, context, phase } = error;
      return { kind: 'refused', message, fields: { category, code, persona, context, phase } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { kind: 'failed', message, stack };
  }
}

function requestOf({ request, body }: Job): PlanRequest {
  if (body === undefined) {
    makePrintable(request); // a copy has lost what makes it so
    return request;
  }
  const given = parseJson(body) as Readonly<Record<string, unknown>>;
  if (request.kind === 'native') return { ...request, query: { ...given, ...request.query } };
  if (request.kind !== 'sql') return request;
  const parameters = given.parameters as readonly (BoundParameter | null)[];
  return { ...request, parameters: parameters.map((parameter) => parameter && { ...parameter, value: parameter.value ?? null }) };
}

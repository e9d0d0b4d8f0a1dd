// Program of a planning process: a child process of the service, which runs one job at a time and
// can be killed at any moment. It has no other work, so it waits for the service without an event
// loop and calls the catalog synchronously.
import { InvalidTime } from '../model/instant.ts';
import { makePrintable, parseJson } from '../model/json.ts';
import { checkLimit } from '../sql/limits.ts';
import { SqlError } from '../sql/sql-error.ts';
import type { BoundParameter } from '../sql/translate/parameters.ts';
import { endWithService } from './engine/child-program.ts';
import { frameOf, readFrame, writeFrame } from './planning/frames.ts';
import {
  type CatalogAnswer,
  channelOfService,
  type Job,
  type PlanningOutcome,
} from './planning/messages.ts';
import { type PlanRequest, planOf } from './planning/plan.ts';
import { CatalogThrew, remoteCatalog } from './planning/remote-catalog.ts';

endWithService();

const catalog = remoteCatalog((call) => {
  writeFrame(channelOfService, frameOf(call));
  const answer = readFrame(channelOfService) as CatalogAnswer | undefined;
  return answer ?? process.exit();
});

for (;;) {
  const job = readFrame(channelOfService) as Job | undefined;
  if (!job) process.exit();
  writeFrame(channelOfService, outcomeOf(job));
}

function outcomeOf(job: Job): Buffer[] {
  try {
    const frame = frameOf({
      kind: 'planned',
      plan: planOf(requestOf(job), catalog),
    } satisfies PlanningOutcome);
    checkLimit(
      'plan',
      frame.reduce((sum, { length }) => sum + length, 0),
    );
    return frame;
  } catch (error) {
    return frameOf(failureOf(error));
  }
}

function failureOf(error: unknown): PlanningOutcome {
  if (error instanceof CatalogThrew) return { kind: 'thrown', id: error.id };
  if (error instanceof InvalidTime) return { kind: 'invalidTime', message: error.message };
  if (error instanceof SqlError) {
    const { message, category, code, persona, context, phase } = error;
    return { kind: 'refused', message, fields: { category, code, persona, context, phase } };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'failed', message, stack };
}

function requestOf({ request, body }: Job): PlanRequest {
  if (body === undefined) {
    makePrintable(request); // a copy is no longer printable
    return request;
  }
  const given = parseJson(body) as Readonly<Record<string, unknown>>;
  if (request.kind === 'native') return { ...request, query: { ...given, ...request.query } };
  if (request.kind !== 'sql') return request;
  const parameters = given.parameters as readonly (BoundParameter | null)[];
  return {
    ...request,
    parameters: parameters.map(
      (parameter) => parameter && { ...parameter, value: parameter.value ?? null },
    ),
  };
}

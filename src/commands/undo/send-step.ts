import { endpointNamed, type Step } from '../../cli/journal.ts';
import type { Call } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { lookups } from '../../contract/lookups.ts';
import { check } from '../../contract/schema.ts';
import { versionAfter } from '../configuration/lookups-area.ts';

/** Sends a step of what takes a change back, with the id of that change as its comment. */
export async function sendStep(call: Call, { endpoint: name, given }: Step, id: string): Promise<void> {
  const endpoint = endpointNamed(name);
  const fresh = endpoint === lookups.set ? await withNewVersion(call, given) : given;
  const headers = endpoint.headers && 'comment' in endpoint.headers ? { comment: `svcctl undo ${id}` } : undefined;
  await (call as (endpoint: Endpoint, given: object) => Promise<unknown>)(endpoint, { ...fresh, ...(headers && { headers }) });
}

// The service takes a lookup back only under a version that is newer than the present one.
async function withNewVersion(call: Call, given: Step['given']) {
  const params = given.params as { tier: string; lookup: string };
  const now = await call(lookups.get, { params }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  return { params, body: { ...check(lookups.set.body, given.body), version: versionAfter(now) } };
}

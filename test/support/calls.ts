// Calls of the real client: every reply is checked against its schema, every refusal becomes what
// it says.
import { createClient } from '../../src/client/client.ts';
import { ServiceError } from '../../src/client/errors.ts';
import { connectTo } from '../../src/client/transport.ts';

/** Calls to a service by the service's own name. */
export const callsTo = ({ url }: { readonly url: string }, service = 'svc') =>
  createClient(service, async () => connectTo(url, { retries: 0 }));

/** The status and the sentence with which the service says no. */
export async function refusalOf(asked: Promise<unknown>): Promise<readonly [number, string]> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof ServiceError) return [error.status, error.message];
    throw error;
  }
  throw new Error('It was not refused');
}

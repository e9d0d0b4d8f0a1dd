// TLS settings of outgoing connections: properties below `client.https.` and `auth.basic.ssl.`,
// which share their names.
import type { ConnectionOptions } from 'node:tls';
import { CannotStart } from '../process/cannot-start.ts';
import type { Properties } from '../settings/properties.ts';
import { protocolOfClient } from './protocols.ts';
import { identityIn, readTrustStore } from './stores.ts';

export interface ClientTls extends ConnectionOptions {
  readonly ca: string[];
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the properties below a prefix, `client.https` or `auth.basic.ssl`, for `tls.connect`;
 * undefined if there are none. Throws CannotStart for an invalid one.
 */
export function clientTlsIn(
  properties: Properties,
  prefix: string,
  nowMs: number,
): ClientTls | undefined {
  if (properties.findBelow(`${prefix}.`) === undefined) return undefined;
  const hasKey = properties.text(`${prefix}.keyStorePath`) !== undefined;
  if (!hasKey && properties.text(`${prefix}.certAlias`) !== undefined)
    throw new CannotStart(
      `${properties.place(`${prefix}.certAlias`)} has no effect without property [${properties.fullName(`${prefix}.keyStorePath`)}]`,
    );
  const identity = hasKey ? identityIn(properties, prefix, nowMs) : {};
  return {
    ...protocolOfClient(properties, `${prefix}.protocol`),
    ca: [...readTrustStore(properties, prefix)],
    ...identity,
    ...(properties.truth(`${prefix}.validateHostnames`, true)
      ? {}
      : { checkServerIdentity: () => undefined }),
  };
}

// Properties from the file that have no effect. The service starts, and its log names each of them.
import { keystrokes, nearest } from '../../model/nearest.ts';
import type { Extensions } from '../settings/extensions.ts';
import type { Properties } from '../settings/properties.ts';
import { isChecked } from './security-properties.ts';

/**
 * A sentence for each property that was not read, and for each unknown extension. Call it after all
 * properties have been read.
 */
export function idleProperties(
  service: string,
  properties: Properties,
  extensions: Extensions,
): string[] {
  const asked = properties.listRead();
  const idle = properties.notAsked().flatMap(({ name, place }) => {
    const reason = reasons.find(([pattern]) => isMeant(pattern, name))?.[1];
    if (reason !== undefined) return [`${place} has no effect here: ${reason}`];
    if (isChecked(name)) return [];
    const near = nearest(name, asked);
    const meant =
      near !== undefined && keystrokes(name, near) <= 3
        ? `; did you mean [${service}.${near}]?`
        : '';
    return [`${place} has no effect: this service has no such property${meant}`];
  });
  const missing = extensions
    .unknown()
    .map(
      (name) =>
        `Extension [${name}] of property [${service}.extensions.loadList] is not available here`,
    );
  return [...idle, ...missing];
}

// A pattern with a dot at its beginning or end is a suffix or prefix of names.
const isMeant = (pattern: string, name: string) =>
  name === pattern ||
  (pattern.startsWith('.') && name.endsWith(pattern)) ||
  (pattern.endsWith('.') && name.startsWith(pattern));

const noCopies = 'one process stores the users and needs no copies of them';
const killIsOff = 'property [coordinator.kill.on] is not true';

// Properties of the real engine, with the reasons why they have no effect here.
const reasons: readonly (readonly [pattern: string, reason: string])[] = [
  ['auth.basic.common.pollingPeriod', noCopies],
  ['auth.basic.common.maxRandomDelay', noCopies],
  ['auth.basic.common.maxSyncRetries', noCopies],
  ['auth.basic.common.cacheDirectory', noCopies],
  ['.cacheNotificationTimeout', noCopies],
  ['auth.allowUnauthenticatedHttpOptions', 'the service does not answer OPTIONS'],
  ['coordinator.kill.audit.durationToRetain', 'property [coordinator.kill.audit.on] is false'],
  ['coordinator.kill.durationToRetain', killIsOff],
  ['coordinator.kill.bufferPeriod', killIsOff],
  ['coordinator.kill.maxSegments', killIsOff],
  ['coordinator.kill.ignoreDurationToRetain', killIsOff],
  ['emitter', 'there is no emitter of metrics'],
  ['emitter.', 'there is no emitter of metrics'],
  ['host', 'use --host'],
  ['indexer.logs.', 'logs of tasks are stored in the data folder'],
  ['indexer.runner.', 'tasks run in this process; set their number with --worker-capacity'],
  ['metadata.storage.', 'metadata is stored in the data folder'],
  ['plaintextPort', 'use --port'],
  ['processing.', 'use --memory; other values depend on the machine'],
  ['router.managementProxy.enabled', 'the Router always forwards to Coordinator and Overlord'],
  ['storage.', 'segments are stored in the data folder; set it with --data-dir'],
  [
    'supervisor.idleConfig.inactiveAfterMillis',
    'property [supervisor.idleConfig.enabled] is not true',
  ],
  ['zk.', 'there is no ZooKeeper'],
];

// Supervisors of a service, with Kafka if its extension is on.
import type { Outside } from '../../ingestion/outside.ts';
import type { Clock } from '../../process/clock.ts';
import type { Extensions } from '../../settings/extensions.ts';
import type { Properties } from '../../settings/properties.ts';
import type { Storage } from '../../storage/storage.ts';
import type { TaskQueue } from '../../tasks/task-queue.ts';
import { kafkaStreams } from '../stream/kafka.ts';
import type { OpenStream, RunningStreamTasks } from '../stream/stream.ts';
import { supervisorDefaults } from './defaults.ts';
import { Supervisors } from './supervisors.ts';

interface SupervisorsParts {
  readonly storage: Storage;
  readonly extensions: Extensions;
  readonly outside: Outside;
  readonly properties: Properties;
  readonly clock: Clock;
  readonly openStream: OpenStream | undefined; // in place of Kafka
}

/** The supervisors of a service; they are not started yet. */
export function createSupervisors(
  { storage, extensions, outside, properties, clock, openStream }: SupervisorsParts,
  queue: TaskQueue,
  streamTasks: RunningStreamTasks,
): Supervisors {
  return new Supervisors({
    metadata: storage.metadata,
    queue,
    openStream: extensions.has('kafka-indexing-service')
      ? (openStream ?? kafkaStreams(outside))
      : withoutKafka(extensions),
    outside,
    streamTasks,
    ...supervisorDefaults(properties),
    now: clock.now,
    every: clock.every,
  });
}

// A supervisor may be left from a start with another list of extensions.
const withoutKafka = (extensions: Extensions) => async () => {
  extensions.mustHave('kafka-indexing-service', 'This supervisor');
  throw new Error('The extension is listed');
};

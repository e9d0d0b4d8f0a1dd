// Task type that reads a stream (Druid: ingestion/kafka-ingestion).
import { SpecFields } from '../../checks/spec-fields.ts';
import { checkLockType } from '../../tasks/lock-types.ts';
import { faultInId } from '../../tasks/task-ids.ts';
import type { TaskType } from '../../tasks/task-type.ts';
import { checkConsumerProperties } from './consumer-properties.ts';
import { ReplicaSets } from './replicas.ts';
import type { StreamParts } from './stream-parts.ts';
import { readStream } from './stream-reader.ts';
import { completeStreamSpec, parseStreamSpec } from './stream-spec.ts';
import { Turns } from './turns.ts';

/** The type of index_kafka tasks. */
export const indexKafka = (parts: StreamParts): TaskType => {
  const shared = { publishing: new Turns(), replicas: new ReplicaSets() };
  return {
    priority: 75,
    slots: () => 1,
    prepare(given) {
      const fields = new SpecFields(given, '');
      checkLockType(given.context);
      const spec = parseStreamSpec(fields);
      const { dataSource } = spec.dataSchema;
      checkConsumerProperties(spec.address.consumerProperties, parts.outside);
      const fault = faultInId('dataSource', dataSource);
      if (fault) fields.refuse(fault);
      return { dataSource, payload: completeStreamSpec(given, spec) };
    },
    locks: () => [], // a time chunk is locked for its first row
    run: (task) =>
      readStream(task, parseStreamSpec(new SpecFields(task.payload, '')), parts, shared),
  };
};

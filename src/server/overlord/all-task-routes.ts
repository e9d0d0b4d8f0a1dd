// Endpoints of the Overlord for tasks, and its sampler.
import type { Catalog } from '../../sql/catalog.ts';
import type { Engine } from '../engine/engine.ts';
import type { AccessRules } from '../handlers/access-rules.ts';
import { mustBeAllowed, readableBy } from '../handlers/permissions.ts';
import type { Routes } from '../handlers/routes.ts';
import type { Outside } from '../ingestion/outside.ts';
import type { Planner } from '../planning/planner.ts';
import type { Clock } from '../process/clock.ts';
import type { Extensions } from '../settings/extensions.ts';
import type { Properties } from '../settings/properties.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import type { SegmentSource } from './multi-stage/segment-source.ts';
import { taskRoutes } from './routes.ts';
import { sample } from './sampler.ts';
import { kafkaStreams } from './stream/kafka.ts';
import { taskResources } from './task-resources.ts';

interface TaskRoutesParts {
  readonly storage: Storage;
  readonly planner: Planner;
  readonly catalog: (source: SegmentSource) => Catalog;
  readonly engine: Engine;
  readonly outside: Outside;
  readonly extensions: Extensions;
  readonly access: AccessRules;
  readonly properties: Properties;
  readonly clock: Clock;
}

export function allTaskRoutes(parts: TaskRoutesParts, queue: TaskQueue): Routes<'tasks'> {
  const { storage, planner, catalog, engine, outside, extensions, access, properties } = parts;
  const { metadata } = storage;
  const { now } = parts.clock;
  return {
    ...taskRoutes(
      queue,
      metadata,
      properties.truth('indexer.auditLog.enabled', false),
      now,
      async (task, caller, signal) => {
        extensions.checkFormat(task);
        const readable = (of: SegmentSource) => readableBy(caller, catalog(of));
        const known = { metadata, planner, catalog: readable, now };
        const used = await taskResources(task, known, signal);
        return [...used, ...access.ofSpec(task)];
      },
    ),
    sample({ body, signal, caller }) {
      extensions.checkFormat(body);
      mustBeAllowed(caller, access.ofSpec(body));
      if (body.type === 'kafka')
        extensions.mustHave('kafka-indexing-service', 'A sampler of type [kafka]');
      const openStream = kafkaStreams(outside);
      return sample(body, signal, { engine, segments: storage.segments, outside, now, openStream });
    },
  };
}

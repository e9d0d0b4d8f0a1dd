// A real service with tasks that are stored without a run, and streams in memory.

import type { ServiceSettings } from '../../src/server/composition/settings.ts';
import type { OpenStream } from '../../src/server/overlord/stream/stream.ts';
import { type Service, startServer } from '../../src/server/server.ts';
import { type KnownTask, storeTask } from './known-task.ts';

export type TestSettings = Partial<ServiceSettings> & {
  readonly tasks?: readonly KnownTask[];
  readonly openStream?: OpenStream;
};

export const startTestServer = ({
  tasks = [],
  openStream,
  ...settings
}: TestSettings): Promise<Service> =>
  startServer(settings, {
    ...(openStream && { openStream }),
    onRolesStarted(storage, now) {
      for (const task of tasks) storeTask(storage, task, now);
    },
  });

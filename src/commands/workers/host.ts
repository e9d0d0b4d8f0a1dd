import type { Completer } from '../../cli/command/command.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { optional, text } from '../../contract/schema.ts';
import { workers } from '../../contract/workers.ts';

export const host = { host: optional(text, 'Worker as host:port (default: the worker at --url)') };

const hosts: Completer = async ({ call }) =>
  (await call(workers.list)).map(({ worker }) => worker.host);

export const completers = { host: hosts };

/** The tasks that run on the worker at --url. */
export const tasksHere: Completer = ({ call }) => call(middleManager.tasks);

const shown =
  'svcctl workers list shows the workers; set the address of a single worker with --url';

export const hints = { notFound: shown, unknownName: shown };

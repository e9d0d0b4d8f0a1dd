// States of supervisors with meaning and remedy (Druid: "Supervisors", status report).
import { commandLine } from '../../model/shell-text.ts';

interface Meaning {
  readonly means: string;
  readonly isBad?: true;
  readonly remedy?: (id: string) => string;
}

const showStatus = (id: string) => commandLine`svcctl supervisors status ${id}`;

const states: Readonly<Record<string, Meaning>> = {
  PENDING: { means: 'it was accepted and has not started' },
  CONNECTING_TO_STREAM: { means: 'it discovers the stream and its partitions' },
  DISCOVERING_INITIAL_TASKS: { means: 'it discovers running tasks' },
  CREATING_TASKS: { means: 'it creates its first tasks' },
  RUNNING: { means: 'its tasks read the stream' },
  IDLE: { means: 'the stream has nothing new, so no task runs' },
  SUSPENDED: {
    means: 'it reads nothing until it is resumed',
    remedy: (id) => commandLine`svcctl supervisors resume ${id}`,
  },
  STOPPING: { means: 'its tasks publish what they have' },
  COMPLETED: { means: 'it has read all its data' },
  UNHEALTHY_SUPERVISOR: {
    means: 'its runs have failed several times in a row',
    isBad: true,
    remedy: showStatus,
  },
  UNHEALTHY_TASKS: {
    means: 'its tasks have failed several times in a row',
    isBad: true,
    remedy: (id) => commandLine`svcctl supervisors parse-errors ${id}`,
  },
  UNABLE_TO_CONNECT_TO_STREAM: {
    means:
      'it has never reached the stream: are the servers and the topic right, and is the network open?',
    isBad: true,
    remedy: (id) => commandLine`svcctl supervisors get ${id} --query spec.ioConfig`,
  },
  LOST_CONTACT_WITH_STREAM: {
    means: 'it read the stream before and cannot reach it now',
    isBad: true,
    remedy: showStatus,
  },
  INVALID_SPEC: {
    means: 'its specification cannot be run',
    isBad: true,
    remedy: (id) => commandLine`svcctl supervisors get ${id}`,
  },
};

export function meaningOf(
  state: string,
  id: string,
): { readonly means: string; readonly isBad: boolean; readonly remedy?: string } {
  const {
    means,
    isBad = false,
    remedy,
  } = states[state] ?? { means: 'a state that svcctl does not know' };
  return {
    means,
    isBad: isBad || state.startsWith('UNHEALTHY'),
    ...(remedy && { remedy: remedy(id) }),
  };
}

// Parts of a service that the program around it may supply.
import type { OpenStream } from '../overlord/stream/stream.ts';
import type { Storage } from '../storage/storage.ts';

export interface ExternalParts {
  readonly openStream?: OpenStream; // for supervisors, in place of Kafka
  /** Runs once when the roles have read the storage, before the ports are open. */
  readonly onRolesStarted?: (storage: Storage, now: () => number) => void;
}

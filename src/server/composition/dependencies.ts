// Dependencies of a service that outlive a restore of its data, except for the storage itself.
import type { Clock } from '../process/clock.ts';
import type { RouterPorts } from '../settings/port-numbers.ts';
import type { Storage } from '../storage/storage.ts';

export interface ServiceDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly place: RouterPorts; // of the Router, final once its ports are open
}

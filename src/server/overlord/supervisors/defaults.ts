// Defaults of supervisors from the service's properties (Druid: configuration, "Supervisors").
import type { Properties } from '../../settings/properties.ts';
import { defaultThresholds, type Thresholds } from './state-machine.ts';

export interface SupervisorDefaults {
  readonly thresholds: Thresholds;
  readonly idleAfterMs: number; // for specifications without an idleConfig; infinite: never idle
}

/** Reads the properties `supervisor.*`. Throws CannotStart for an invalid one. */
export function supervisorDefaults(properties: Properties): SupervisorDefaults {
  const integer = (name: Exclude<keyof Thresholds, 'storeStackTrace'>) =>
    properties.integer(`supervisor.${name}`, defaultThresholds[name]);
  const isIdle = properties.truth('supervisor.idleConfig.enabled', false);
  return {
    thresholds: {
      unhealthinessThreshold: integer('unhealthinessThreshold'),
      healthinessThreshold: integer('healthinessThreshold'),
      taskUnhealthinessThreshold: integer('taskUnhealthinessThreshold'),
      taskHealthinessThreshold: integer('taskHealthinessThreshold'),
      maxStoredExceptionEvents: integer('maxStoredExceptionEvents'),
      storeStackTrace: properties.truth(
        'supervisor.storeStackTrace',
        defaultThresholds.storeStackTrace,
      ),
    },
    idleAfterMs: isIdle
      ? properties.integer('supervisor.idleConfig.inactiveAfterMillis', 600_000)
      : Number.POSITIVE_INFINITY,
  };
}

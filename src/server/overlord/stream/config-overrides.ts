// The properties of a consumer in an ioConfig (Druid: KafkaConfigOverrides): consumerProperties,
// and configOverrides on top of them.
import type { SpecFields, Values } from '../../checks/spec-fields.ts';

/**
 * The consumerProperties with the configOverrides, which win property by property; a provider
 * replaces a provider. Throws a Refusal for overrides with a type, which only extensions of the
 * real engine know.
 */
export function consumerPropertiesIn(io: SpecFields): Values {
  const overrides = io.optionalObject('configOverrides');
  const { type } = overrides?.values ?? {};
  if (type !== undefined && type !== null)
    return io.refuse(
      `configOverrides of type [${String(type)}] need an extension that is not here: give the properties themselves, without [type]`,
    );
  return { ...io.object('consumerProperties').values, ...overrides?.values };
}

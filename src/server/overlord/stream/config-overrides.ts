// Consumer properties of an ioConfig (Druid: KafkaConfigOverrides): consumerProperties, overridden
// by configOverrides.
import type { SpecFields, SpecValues } from '../../checks/spec-fields.ts';

/**
 * The consumerProperties, overridden by single properties of configOverrides; a provider replaces a
 * provider. Throws a Refusal for overrides with a type, which only extensions of the real engine
 * support.
 */
export function consumerPropertiesIn(io: SpecFields): SpecValues {
  const overrides = io.optionalObject('configOverrides');
  const { type } = overrides?.values ?? {};
  if (type !== undefined && type !== null)
    return io.refuse(
      `configOverrides of type [${String(type)}] need an extension that is not available. Give the properties themselves, without [type]`,
    );
  return { ...io.object('consumerProperties').values, ...overrides?.values };
}

// Specifications that come back as they were shown: with a mask where a secret is. What the service
// has stays in its place.
import { isSame } from '../../../model/difference.ts';
import { hasMask, mask, maskedPath, maskWord, restore } from '../../../model/secrets.ts';
import { invalidSpec, isObject, type Values } from '../../checks/spec-fields.ts';
import type { SupervisorSpec } from '../../storage/supervisors.ts';

/**
 * A specification with the secrets that earlier versions of the same supervisor have, the newest
 * first, where a mask stands. Secrets of consumerProperties and configOverrides are kept only
 * together with all that stands beside them: else they would be sent to other brokers. Refuses a
 * mask that stands for nothing known.
 */
export function keepSecrets(given: Values, versions: readonly SupervisorSpec[]): Values {
  if (!hasMask(given)) return given;
  const whole = versions.reduce<unknown>(
    restore,
    withConsumer(given, (consumer) => keptConsumer(consumer, versions)),
  );
  const path = maskedPath(whole);
  if (path !== undefined) throw noSecret(path, 'the supervisor has no secret there');
  return isObject(whole) ? whole : given;
}

function keptConsumer(given: Values, versions: readonly SupervisorSpec[]): unknown {
  const path = maskedPath(given);
  if (path === undefined) return given;
  const shown = mask(given);
  for (const version of versions) {
    let found: Values | undefined;
    withConsumer(version, (consumer) => {
      found = consumer;
      return consumer;
    });
    if (found && isSame(mask(found), shown)) return restore(given, found);
  }
  throw noSecret(`spec.ioConfig.${path}`, 'what stands beside it is not what the supervisor has');
}

// The specification with another consumer: its consumerProperties and configOverrides. Old
// specifications have no `spec` around their parts.
function withConsumer(given: Values, change: (consumer: Values) => unknown): Values {
  if (isObject(given.spec)) return { ...given, spec: withConsumer(given.spec, change) };
  const { ioConfig } = given;
  if (!isObject(ioConfig) || !isObject(ioConfig.consumerProperties)) return given;
  const { consumerProperties, configOverrides } = ioConfig;
  const changed = change({
    consumerProperties,
    ...(isObject(configOverrides) && { configOverrides }),
  });
  return { ...given, ioConfig: { ...ioConfig, ...(isObject(changed) && changed) } };
}

const noSecret = (path: string, why: string) =>
  invalidSpec(
    `Field [${path}] is [${maskWord}], which stands for a secret, and ${why}: give the secret itself`,
  );

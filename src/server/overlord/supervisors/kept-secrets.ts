// Stored secrets for specifications that a client sends back with masks.
import { isSame } from '../../../model/difference.ts';
import { findMaskedPath, hasMask, mask, maskWord, restore } from '../../../model/secrets.ts';
import { invalidSpec, isObject, type SpecValues } from '../../checks/spec-fields.ts';
import type { StoredSupervisorSpec } from '../../storage/supervisors.ts';

/**
 * A specification with secrets of the same supervisor's earlier versions, newest first, in place of
 * masks. Secrets of consumerProperties and configOverrides are kept only if all fields beside them
 * are unchanged: otherwise they would be sent to other brokers. Refuses a mask without a known
 * secret.
 */
export function keepSecrets(
  given: SpecValues,
  versions: readonly StoredSupervisorSpec[],
): SpecValues {
  if (!hasMask(given)) return given;
  const whole = versions.reduce<unknown>(
    restore,
    withConsumer(given, (consumer) => keepConsumer(consumer, versions)),
  );
  const path = findMaskedPath(whole);
  if (path !== undefined) throw noSecret(path, 'the supervisor has no secret there');
  return isObject(whole) ? whole : given;
}

function keepConsumer(given: SpecValues, versions: readonly StoredSupervisorSpec[]): unknown {
  const path = findMaskedPath(given);
  if (path === undefined) return given;
  const shown = mask(given);
  for (const version of versions) {
    let found: SpecValues | undefined;
    withConsumer(version, (consumer) => {
      found = consumer;
      return consumer;
    });
    if (found && isSame(mask(found), shown)) return restore(given, found);
  }
  throw noSecret(
    `spec.ioConfig.${path}`,
    'the fields beside it differ from those of the supervisor',
  );
}

// The specification with changed consumerProperties and configOverrides. Old specifications have
// their parts at the top level, without `spec`.
function withConsumer(given: SpecValues, change: (consumer: SpecValues) => unknown): SpecValues {
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
    `Field [${path}] is [${maskWord}], the placeholder for a secret, but ${why}. Give the secret itself`,
  );

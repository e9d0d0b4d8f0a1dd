// Consumer properties as texts, including values from providers (Druid: PasswordProvider,
// DynamicConfigProvider), which a specification may name in place of values.
import { isSecretName, maskWord } from '../../../model/secrets.ts';
import { isObject, type SpecValues } from '../../checks/spec-fields.ts';
import { type Outside, variableOf } from '../../ingestion/outside.ts';
import { parsePassword, passwordOf } from '../../ingestion/password-provider.ts';
import { StreamUnavailable } from './stream.ts';

/** Properties of a consumer, with a list of values that must not occur in messages. */
export class RevealedProperties {
  readonly #values: ReadonlyMap<string, string>;
  readonly #provided: ReadonlySet<string>;

  constructor(values: ReadonlyMap<string, string>, provided: ReadonlySet<string>) {
    this.#values = values;
    this.#provided = provided;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /**
   * Whether the value comes from a provider: a password provider or the provider of the whole
   * configuration.
   */
  isProvided(name: string): boolean {
    return this.#provided.has(name);
  }

  /** The form of a value for messages. */
  shown(name: string, value = this.get(name) ?? ''): string {
    return this.isProvided(name) ? maskWord : value;
  }

  /** Values that must not occur in messages. */
  get secrets(): readonly string[] {
    return [...this.#values].flatMap(([name, value]) =>
      this.isProvided(name) || isSecretName(name) ? value : [],
    );
  }
}

/**
 * The properties with provided values inserted. Throws StreamUnavailable for a provider that is
 * unknown, has no value, or names a forbidden variable.
 */
export function reveal(
  properties: SpecValues,
  outside: Pick<Outside, 'variables'>,
): RevealedProperties {
  const { [dynamic]: provider, ...rest } = properties;
  const provided = new Set<string>();
  const values = new Map<string, string>();
  try {
    for (const [name, value] of Object.entries(rest)) {
      if (value === undefined || value === null) continue;
      if (value === maskWord)
        throw new StreamUnavailable(
          `[${name}] of the consumerProperties is [${maskWord}]: give its value`,
        );
      values.set(
        name,
        isObject(value) ? passwordOf(parsePassword(value, name), outside) : scalarText(value, name),
      );
      if (isObject(value)) provided.add(name);
    }
    for (const [name, value] of provider === undefined || provider === null
      ? []
      : allProvided(provider, outside)) {
      values.set(name, value);
      provided.add(name);
    }
  } catch (error) {
    throw error instanceof Error
      ? new StreamUnavailable(`The consumerProperties cannot be used: ${error.message}`)
      : error;
  }
  return new RevealedProperties(values, provided);
}

const dynamic = 'druid.dynamic.config.provider';

function allProvided(provider: unknown, outside: Pick<Outside, 'variables'>): [string, string][] {
  if (!isObject(provider)) throw new StreamUnavailable(`[${dynamic}] is not an object with a type`);
  const { type, config, variables } = provider;
  const entries = (given: unknown, field: string) => {
    if (given === undefined || given === null) return [];
    if (!isObject(given))
      throw new StreamUnavailable(`[${field}] of [${dynamic}] is not an object`);
    return Object.entries(given);
  };
  // Its values are texts; a nested provider is not evaluated (Druid:
  // MapStringDynamicConfigProvider).
  if (type === 'mapString')
    return entries(config, 'config').map(([name, value]) => [
      name,
      scalarText(value, `${dynamic}.config.${name}`),
    ]);
  if (type === 'environment')
    return entries(variables, 'variables').map(([name, variable]) => [
      name,
      variableOf(outside, variable),
    ]);
  throw new StreamUnavailable(
    `provider [${String(type)}] of [${dynamic}] is unknown; known providers are [environment, mapString]`,
  );
}

// The message omits the value, which may be a secret.
function scalarText(value: unknown, name: string): string {
  if (typeof value === 'object')
    throw new StreamUnavailable(
      `[${name}] is not a text: a provider cannot be inside a list or another provider`,
    );
  return String(value);
}

// Properties as texts, wherever their values come from (Druid: PasswordProvider, DynamicConfigProvider): the specification may name them instead of
// holding them.
import { isObject, type Values } from '../../ingestion/spec-fields.ts';
import { StreamUnavailable } from './stream.ts';

/** The properties with all that is only named in them. Throws StreamUnavailable for a provider that is not known, or that has nothing. */
export function revealed(properties: Values): ReadonlyMap<string, string> {
  const { [dynamic]: provider, ...rest } = properties;
  const found = Object.entries(rest).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, isObject(value) ? password(name, value) : String(value)]],
  );
  return new Map([...found, ...(isObject(provider) ? provided(provider) : [])]);
}

const dynamic = 'druid.dynamic.config.provider';

function password(name: string, provider: Values): string {
  const { type = 'default', password, variable } = provider;
  if (type === 'environment') return fromEnvironment(name, variable);
  if (type !== 'default') throw unknownProvider(name, type, ['default', 'environment']);
  if (typeof password !== 'string') throw new StreamUnavailable(`The provider of [${name}] in the consumerProperties has no [password]`);
  return password;
}

function provided({ type, config, variables }: Values): [string, string][] {
  if (type === 'mapString') return Object.entries(isObject(config) ? config : {}).map(([name, value]) => [name, String(value)]);
  if (type !== 'environment') throw unknownProvider(dynamic, type, ['environment', 'mapString']);
  return Object.entries(isObject(variables) ? variables : {}).map(([name, variable]) => [name, fromEnvironment(name, variable)]);
}

function fromEnvironment(name: string, variable: unknown): string {
  const value = typeof variable === 'string' ? process.env[variable] : undefined;
  if (value === undefined)
    throw new StreamUnavailable(`Environment variable [${variable}], which is to provide [${name}] of the consumerProperties, is not set`);
  return value;
}

const unknownProvider = (name: string, type: unknown, known: readonly string[]) =>
  new StreamUnavailable(`The provider [${type}] of [${name}] in the consumerProperties is not known; known are [${known.join(', ')}]`);

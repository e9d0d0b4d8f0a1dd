// Passwords in requests, as values or references (Druid: operations/password-provider).
import { maskWord } from '../../model/secrets.ts';
import { invalidSpec, isObject } from '../checks/spec-fields.ts';
import { type Outside, variableOf } from './outside.ts';

export type PasswordProvider =
  | { readonly type: 'default'; readonly password: string }
  | { readonly type: 'environment'; readonly variable: unknown };

/**
 * Reads a password or its provider; `name` is the field's. Throws a Refusal that does not contain
 * the value.
 */
export function parsePassword(given: unknown, name: string): PasswordProvider {
  const { type = 'default', password, variable } = isObject(given) ? given : { password: given };
  if (type === 'environment') return { type, variable };
  if (type !== 'default')
    throw invalidSpec(
      `The provider [${String(type)}] of [${name}] is not known; known are [default, environment]`,
    );
  if (password === maskWord)
    throw invalidSpec(
      `[${name}] is [${maskWord}], the placeholder that the service shows for a password. Give the password itself`,
    );
  if (typeof password !== 'string')
    throw invalidSpec(`The provider of [${name}] has no [password]`);
  return { type, password };
}

/**
 * The password itself. Throws a Refusal for an environment variable that is forbidden or not set.
 */
export const passwordOf = (
  provider: PasswordProvider,
  outside: Pick<Outside, 'variables'>,
): string =>
  provider.type === 'environment' ? variableOf(outside, provider.variable) : provider.password;

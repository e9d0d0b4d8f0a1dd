// Internet addresses.

import { castTo } from '../expressions/casts.ts';
import { parseIpv4Subnet, parseIpv6Subnet } from '../runtime/ip-address.ts';
import { failedPlanning } from '../sql-error.ts';
import { bigint, boolean, isInteger, isNumeric, isText, isTime, type SqlType } from '../types.ts';
import { sameInNative } from './same-in-native.ts';
import {
  druidFunction,
  knownCharacter,
  type ParameterType,
  type ScalarFunction,
} from './scalar-function.ts';

/** A text or a number. Values of other types are not addresses. */
const address: ParameterType = {
  text: 'CHARACTER',
  accepts: (type) =>
    isText(type) || isNumeric(type) || isTime(type) || ['BOOLEAN', 'NULL'].includes(type.name),
  convert: (arg, zone) => (isInteger(arg.type) ? castTo(arg, bigint, zone) : arg),
};

const numberOf = (
  type: SqlType | undefined,
  texts: { readonly ofText: string; readonly ofNumber: string },
) => (type && isText(type) ? texts.ofText : type && isInteger(type) ? texts.ofNumber : 'NULL');

const number = (x: string | undefined, type: SqlType | undefined) =>
  numberOf(type, { ofText: `druid_ipv4_parse(${x})`, ofNumber: `druid_ipv4(${x})` });

export const addressFunctions: Record<string, ScalarFunction> = {
  IPV4_PARSE: sameInNative(
    druidFunction([address], bigint, ([x], { args: [arg] }) => `${number(x, arg?.type)}::BIGINT`, {
      nullable: 1,
    }),
  ),
  IPV4_STRINGIFY: sameInNative(
    druidFunction(
      [address],
      { name: 'CHAR' },
      ([x], { args: [arg] }) =>
        `${numberOf(arg?.type, { ofText: `druid_ipv4_valid(${x})`, ofNumber: `druid_ipv4_text(druid_ipv4(${x}))` })}::VARCHAR`,
      { nullable: 1 },
    ),
  ),
  IPV4_MATCH: sameInNative(
    druidFunction(
      [
        { ...address, accepts: (type) => isText(type) || isInteger(type), takesNull: true },
        knownCharacter,
      ],
      boolean,
      ([x], { args: [arg, subnet], environment }) => {
        const text = String(subnet?.constant);
        const range = parseIpv4Subnet(text);
        if (!range) {
          environment.inPlanning(() => {
            throw failedPlanning(`Function[ipv4_match] subnet arg has an invalid format: ${text}`);
          });
          return 'false';
        }
        return `coalesce(${number(x, arg?.type)} BETWEEN ${range.first} AND ${range.last}, false)`;
      },
    ),
  ),
  IPV6_MATCH: sameInNative(
    druidFunction(
      [
        { ...address, takesNull: true, accepts: (type) => address.accepts(type) || isTime(type) },
        knownCharacter,
      ],
      boolean,
      ([x, subnet], { args: [arg, range], environment }) => {
        if (!parseIpv6Subnet(String(range?.constant)))
          environment.inPlanning(() => {
            throw failedPlanning('Function[ipv6_match] failed to parse address');
          });
        if (arg && !isText(arg.type)) return 'false'; // no number is such an address
        return `coalesce(druid_ipv6_match(${x}, ${subnet}), false)`;
      },
    ),
  ),
};

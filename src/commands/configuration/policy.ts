// Policies: limits for plans, in a file that is kept and reviewed with the configuration.
import { readFileSync } from 'node:fs';
import { yamlIn } from '../../cli/output/yaml.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import {
  check,
  integer,
  listOf,
  number,
  object,
  optional,
  text,
  type Value,
} from '../../contract/schema.ts';
import { nearest } from '../../model/nearest.ts';
import { areaNames } from '../shared/configuration/areas.ts';
import { unusable } from '../shared/configuration/folder.ts';
import { shareOf } from '../shared/configuration/touched.ts';
import type { Plan, PlannedChange } from './plan-file.ts';

export type Policy = Value<typeof schema>;

const fields = {
  maxChanges: optional(integer, 'Maximum number of changes'),
  maxDroppedSegments: optional(integer, 'Maximum number of segments dropped'),
  maxDroppedBytes: optional(integer, 'Maximum number of bytes dropped'),
  maxDroppedShare: optional(number, 'Share of all segments that may be dropped: 0 to 1'),
  forbidRemoval: optional(listOf(text), 'Areas from which nothing may be removed'),
  forbidChange: optional(
    listOf(text),
    'Objects that must not change: rules/_default, supervisors/*',
  ),
};

const schema = object(fields);

/**
 * Reads a policy, in YAML or JSON. Throws a usage error for unknown keys: a misspelled limit would
 * have no effect.
 */
export function readPolicy(file: string): Policy {
  let policy: Policy;
  try {
    policy = check(schema, yamlIn(readFileSync(file, 'utf8')));
  } catch (error) {
    throw unusable(file, error);
  }
  const strange = Object.keys(policy).find((name) => !(name in fields));
  if (strange !== undefined) {
    const near = nearest(strange, Object.keys(fields));
    throw new UsageError(
      `File [${file}] cannot be used: unknown limit [${strange}]`,
      near === undefined ? `there are ${Object.keys(fields).join(', ')}` : `did you mean ${near}?`,
    );
  }
  const areas = [
    ...(policy.forbidRemoval ?? []),
    ...(policy.forbidChange ?? []).map((pattern) => pattern.split('/')[0] ?? ''),
  ];
  const wrong = areas.find((area) => !areaNames.includes(area));
  if (wrong !== undefined)
    throw new UsageError(
      `File [${file}] cannot be used: [${wrong}] is not an area: there are ${areaNames.join(', ')}`,
    );
  return policy;
}

/** Refuses a plan that violates a policy; passes every violation to `warn`. */
export function enforce(
  policy: Policy,
  file: string,
  plan: Plan,
  warn: (sentence: string) => void,
): void {
  const violations = violationsOf(policy, plan);
  for (const violation of violations) warn(violation);
  if (violations.length > 0)
    throw new CommandError(
      'refused',
      `The plan violates policy [${file}] in ${violations.length} ${violations.length === 1 ? 'place' : 'places'}`,
      'change the files, or have the owner of the policy change it',
    );
}

function violationsOf(policy: Policy, { changes, cluster, touched: { dropped } }: Plan): string[] {
  const {
    maxChanges,
    maxDroppedSegments,
    maxDroppedBytes,
    maxDroppedShare,
    forbidRemoval = [],
    forbidChange = [],
  } = policy;
  const over = (what: string, value: number | bigint, limit: number | undefined) =>
    limit !== undefined && Number(value) > limit ? [`${what}: ${value} is more than ${limit}`] : [];
  const share = Number(shareOf(dropped, cluster).toFixed(4));
  return [
    ...over('maxChanges', changes.length, maxChanges),
    ...over('maxDroppedSegments', dropped.segments, maxDroppedSegments),
    ...over('maxDroppedBytes', dropped.bytes, maxDroppedBytes),
    ...over('maxDroppedShare', share, maxDroppedShare),
    ...changes
      .filter(({ area, kind }) => kind === 'removed' && forbidRemoval.includes(area))
      .map(({ area, name }) => `forbidRemoval: ${area} [${name}] would be removed`),
    ...changes
      .filter((change) => forbidChange.some((pattern) => isMeant(pattern, change)))
      .map(({ area, name, kind }) => `forbidChange: ${area} [${name}] would be ${kind}`),
  ];
}

// A final star matches any rest.
function isMeant(pattern: string, { area, name }: PlannedChange): boolean {
  const path = `${area}/${name}`;
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

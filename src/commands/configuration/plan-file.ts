// Plan files: the planned changes, the previous values and the affected objects, for review,
// approval and a later run.

import { readInput } from '../../cli/input/read-json.ts';
import { UsageError } from '../../cli/process/errors.ts';
import type { Io } from '../../cli/process/io.ts';
import {
  anything,
  check,
  listOf,
  object,
  oneOf,
  optional,
  text,
  type Value,
} from '../../contract/schema.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { areaNames } from '../shared/configuration/areas.ts';
import { unusable, writeAside } from '../shared/configuration/folder.ts';
import { amount, touched } from '../shared/configuration/touched.ts';

export type Plan = Value<typeof plan>;
export type PlannedChange = Value<typeof change>;

const change = object({
  area: oneOf(...areaNames),
  name: text,
  kind: oneOf('added', 'changed', 'removed'),
  before: text,
  differences: listOf(
    object({
      path: text,
      before: optional(anything, 'Before'),
      after: optional(anything, 'After'),
    }),
  ),
  document: optional(anything, 'What the file says'),
  touched,
});

const plan = object({
  format: text,
  made: text, // time of creation
  url: text,
  service: text,
  cluster: amount,
  touched,
  changes: listOf(change),
});

export const planFormat = 'svcctl plan 1';

/** Writes a plan that only its owner can read, because it may hold secrets of supervisors. */
export const writePlan = (file: string, made: Plan): void =>
  void writeAside(file, `${formatJson(made, '  ')}\n`, 0o600);

/** Reads a plan; throws a usage error for other content. */
export async function readPlan(file: string, io: Pick<Io, 'stdin'>): Promise<Plan> {
  const content = await readInput(file, io);
  try {
    const made = check(plan, parseJson(content));
    if (made.format !== planFormat)
      throw new UsageError(`its format is [${made.format}], not [${planFormat}]`);
    return made;
  } catch (error) {
    throw unusable(file, error);
  }
}

// Shared schemas of change histories: author, comment, time.
import type { Dialect } from '../model/dialect.ts';
import { type Invalid, unreadable } from './endpoint.ts';
import {
  count,
  intervalText,
  listOf,
  object,
  optional,
  orNull,
  sometimes,
  text,
  type Value,
} from './schema.ts';

export type AuditEntry = Value<typeof auditEntry>;

export const auditInfo = object({
  author: sometimes(text),
  comment: sometimes(text),
  ip: sometimes(text),
  identity: sometimes(text),
});

const auditEntry = object({
  key: text,
  type: text,
  auditInfo,
  payload: orNull(text), // JSON as text
  auditTime: text,
});

export const auditEntries = listOf(auditEntry);

/** The headers that sign a change. */
export const signature = {
  author: optional(text, 'Author of the change'),
  comment: optional(text, 'Reason for the change'),
};

/** The query of every history. */
export const period = {
  interval: optional(intervalText, 'Only changes in this ISO interval'),
  count: optional(count, 'Only this number of latest changes'),
};

/**
 * Shared errors of all histories: a count below one and, with `--service druid`, a count that does
 * not fit 32 bits.
 */
export const historyRefusals = { invalidInput: 'simpleMap', notFound: 'empty' } as const;

/**
 * The error for a count that is not a number: the specification requires 400, the real engine
 * replies 404 with an empty body.
 */
export const invalidInHistory = (field: string, { historyCount }: Dialect): Invalid =>
  field === 'count' && historyCount === 'notFound' ? unreadable : 'invalidInput';

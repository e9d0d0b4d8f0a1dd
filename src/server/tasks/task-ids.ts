// Ids of tasks, in the real engine's format.
import { randomBytes } from 'node:crypto';
import { formatInstant } from '../../model/instant.ts';
import { checkNameLength } from '../checks/name-length.ts';

/**
 * `<type>_<dataSource>_<8 letters a to p>_<now>`, as the real engine generates ids
 * (AbstractTask.getOrMakeId).
 */
export const newTaskId = (
  type: string,
  dataSource: string,
  nowMs: number,
  random: () => string = randomLetters,
): string => [type, dataSource, random(), formatInstant(nowMs)].join('_');

/**
 * The fault in the id of a task or the name of a datasource, as a sentence; undefined for a valid
 * one (Druid: IdUtils.validateId). `what` names the thing: `task ID`, `dataSource`. Refuses one
 * that is too long.
 */
export function faultInId(what: string, id: string): string | undefined {
  checkNameLength(id, what);
  const about = (problem: string) => `Invalid value for field [${what}]: ${problem}`;
  if (id === '') return about('must not be null');
  if (id.startsWith('.')) return about(`Value [${id}] cannot start with '.'.`);
  if (id.includes('/')) return about(`Value [${id}] cannot contain '/'.`);
  if (/[^\S ]/.test(id))
    return about(`Value [${id}] contains illegal whitespace characters. Only space is allowed.`);
  const odd = [...id].findIndex((letter) => /[\p{Cc}\p{Cs}]/u.test(letter));
  return odd === -1
    ? undefined
    : about(`Value [${id}] contains an illegal character at position [${odd}].`);
}

/** Eight unpredictable letters, a to p. */
export const randomLetters = () =>
  [...randomBytes(4)].map((byte) => letter(byte >> 4) + letter(byte & 15)).join('');
const letter = (number: number) => String.fromCharCode('a'.charCodeAt(0) + number);

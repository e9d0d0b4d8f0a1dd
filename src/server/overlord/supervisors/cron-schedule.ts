// Times that a cron expression names, in UTC. The door to croner.
import { Cron } from 'croner';

/**
 * `unix` has five fields; `quartz` has six or seven, begins with seconds, and its week begins with
 * day 1, Sunday.
 */
export type CronFlavor = 'unix' | 'quartz';

export interface CronSchedule {
  /**
   * The next time after an instant, both in milliseconds since 1970; undefined when there is none.
   */
  nextAfter(ms: number): number | undefined;
}

/** Reads an expression; throws an Error that says what is wrong with it. */
export function cronSchedule(flavor: CronFlavor, expression: string): CronSchedule {
  const fields = expression.trim().split(/\s+/);
  const isNickname = flavor === 'unix' && expression.trim().startsWith('@');
  const allowed = flavor === 'unix' ? [5] : [6, 7];
  if (!isNickname && !allowed.includes(fields.length))
    throw new Error(`it has [${fields.length}] fields instead of [${allowed.join(' or ')}]`);
  // Quartz writes ? for a day that the other field of days decides. To croner it is a day of its
  // own, and * leaves the word to the other.
  const plain = fields
    .map((field) => (flavor === 'quartz' && field === '?' ? '*' : field))
    .join(' ');
  const cron = new Cron(plain, {
    timezone: 'UTC',
    paused: true,
    alternativeWeekdays: flavor === 'quartz',
  });
  return { nextAfter: (ms) => cron.nextRun(new Date(ms))?.getTime() };
}

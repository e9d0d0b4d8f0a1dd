// Times of a cron expression, in UTC. The only importer of croner.
import { Cron } from 'croner';

/**
 * `unix` has five fields. `quartz` has six or seven, begins with seconds, and numbers the days of
 * the week from 1, Sunday.
 */
export type CronFlavor = 'unix' | 'quartz';

export interface CronSchedule {
  /**
   * The next time after an instant, both in milliseconds since 1970; undefined if there is none.
   */
  nextAfter(ms: number): number | undefined;
}

/** Parses an expression; throws an Error that names the fault. */
export function cronSchedule(flavor: CronFlavor, expression: string): CronSchedule {
  const fields = expression.trim().split(/\s+/);
  const isNickname = flavor === 'unix' && expression.trim().startsWith('@');
  const allowed = flavor === 'unix' ? [5] : [6, 7];
  if (!isNickname && !allowed.includes(fields.length))
    throw new Error(`it has [${fields.length}] fields instead of [${allowed.join(' or ')}]`);
  // Quartz writes ? in the field of days that does not decide. In croner, ? has another meaning,
  // and * leaves the decision to the other field.
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

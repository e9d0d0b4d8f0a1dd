// Endpoints of the control interface for the clock.
import { optional, text } from '../../contract/schema.ts';
import { formatInstant, parseInstant } from '../../model/instant.ts';
import { addPeriod, parsePeriod } from '../../model/period.ts';
import type { Clock } from '../process/clock.ts';
import { bad, type ControlRoute, fieldsIn, timeIn } from './route.ts';

/**
 * `ready` resolves when the duties follow the clock: work that becomes due by a step has been done
 * when the reply is sent.
 */
export function clockRoutes(clock: Clock, ready: () => Promise<void>): ControlRoute[] {
  const readClock = () => ({ now: formatInstant(clock.now()), aheadMs: clock.aheadMs });
  const setClock = async (targetOf: (nowMs: number) => number) => {
    await ready();
    const nowMs = clock.now();
    const toMs = targetOf(nowMs);
    if (toMs < firstMs || toMs > lastMs)
      throw bad(
        `The clock cannot be set to [${formatInstant(toMs)}]. Give a time from [${formatInstant(firstMs)}] to [${formatInstant(lastMs)}]`,
      );
    clock.setAhead(clock.aheadMs + toMs - nowMs);
    return readClock();
  };
  return [
    {
      method: 'GET',
      path: '/clock',
      does: "Show the service's clock and its lead over the machine's clock",
      run: readClock,
    },
    {
      method: 'POST',
      path: '/clock',
      does: 'Step the clock {"by": "PT1H"}, or set it {"to": "2030-01-01T00:00:00Z"}',
      run: ({ body }) => setClock((nowMs) => targetTimeIn(body, nowMs)),
    },
    {
      method: 'DELETE',
      path: '/clock',
      does: "Reset the clock to the machine's time",
      run: () => setClock((nowMs) => nowMs - clock.aheadMs),
    },
  ];
}

const fields = {
  by: optional(text, 'Period to step by; a period that begins with - steps back'),
  to: optional(text, 'Instant to set'),
};

function targetTimeIn(body: unknown, nowMs: number): number {
  const { by, to } = fieldsIn(fields, body);
  if ((by === undefined) === (to === undefined))
    throw bad(
      'Give either [by], a period as in PT1H, or [to], an instant as in 2030-01-01T00:00:00Z',
    );
  if (to !== undefined) return timeIn('to', to, parseInstant, '2030-01-01T00:00:00Z');
  const [, back, period = ''] = /^(-?)(.*)$/s.exec(by ?? '') ?? [];
  return timeIn(
    'by',
    period,
    (text) => addPeriod(nowMs, parsePeriod(text), back ? -1 : 1),
    'PT1H, P1Y or -P1D',
  );
}

// Versions of segments are compared as texts, which requires years of four digits.
const firstMs = 0;
const lastMs = Date.UTC(9999, 11, 31);

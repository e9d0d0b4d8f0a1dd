// Output of monitoring plugins: one line with performance data, and exit code 0 OK, 1 WARNING, 2
// CRITICAL, 3 UNKNOWN.
import { formatJson } from '../../../model/json.ts';
import type { Threshold } from './threshold.ts';

export const states = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'] as const;
export type CheckState = (typeof states)[number];
export type CheckFormat = 'nagios' | 'prometheus' | 'json';

export interface CheckMetric {
  readonly name: string;
  readonly value: number;
  readonly means: string; // a sentence without its full stop
  readonly unit?: 's' | '%' | 'B';
  readonly max?: number;
  readonly warn?: Threshold | undefined;
  readonly crit?: Threshold | undefined;
}

export interface CheckVerdict {
  readonly check: string;
  readonly state: CheckState;
  readonly says: string;
  readonly metrics: readonly CheckMetric[];
}

export const stateOf = ({ value, warn, crit }: CheckMetric): CheckState =>
  crit?.alerts(value) ? 'CRITICAL' : warn?.alerts(value) ? 'WARNING' : 'OK';

const order: readonly CheckState[] = ['OK', 'UNKNOWN', 'WARNING', 'CRITICAL'];

/** The worst of several states; a known problem is worse than an unknown state. */
export const worst = (all: readonly CheckState[]): CheckState =>
  order[Math.max(0, ...all.map((state) => order.indexOf(state)))] ?? 'OK';

/** The answer in one of the formats, with a final line break. */
export function formatVerdict(verdict: CheckVerdict, format: CheckFormat): string {
  if (format === 'prometheus') return asPrometheus(verdict);
  return format === 'json' ? asJson(verdict) : asNagios(verdict);
}

function asNagios({ check, state, says, metrics }: CheckVerdict): string {
  const data = metrics.map(
    ({ name, value, unit = '', warn, crit, max }) =>
      `${name}=${value}${unit};${warn?.text ?? ''};${crit?.text ?? ''};0;${max ?? ''}`,
  );
  const line = says.replace(/[|\r\n]+/g, ' '); // the bar begins the numbers, and there is one line
  return `${check.toUpperCase()} ${state} - ${line}${data.length > 0 ? ` | ${data.map((each) => each.replace(/;+$/, '')).join(' ')}` : ''}\n`;
}

const asJson = ({ check, state, says, metrics }: CheckVerdict): string =>
  `${formatJson(
    {
      check,
      state,
      exitCode: states.indexOf(state),
      message: says,
      metrics: metrics.map(({ name, value, unit, max, warn, crit, means }) => ({
        name,
        value,
        means,
        ...(unit && { unit }),
        ...(max !== undefined && { max }),
        ...(warn && { warn: warn.text }),
        ...(crit && { crit: crit.text }),
      })),
    },
    '  ',
  )}\n`;

// Prometheus: "Text-based format". Names are single words, units are base units.
function asPrometheus({ check, state, metrics }: CheckVerdict): string {
  const all = [
    {
      name: 'state',
      value: states.indexOf(state),
      means: 'The state of the check: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN',
    },
    ...metrics,
  ];
  return all
    .map((metric) => {
      const unit =
        'unit' in metric ? { s: '_seconds', '%': '_percent', B: '_bytes' }[metric.unit ?? 's'] : '';
      const name = `svcctl_${check}_${metric.name}${unit}`.replace(/\W/g, '_');
      return `# HELP ${name} ${metric.means.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}\n# TYPE ${name} gauge\n${name} ${metric.value}\n`;
    })
    .join('');
}

// Framework of monitoring checks: a measurement against two thresholds. A failed measurement is
// UNKNOWN, also on stdout.
import { type Context, command } from '../../../cli/command/command.ts';
import type { ExitCode } from '../../../cli/process/exit-codes.ts';
import { Interrupted } from '../../../client/errors.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { oneOf, optional, text } from '../../../contract/schema.ts';
import {
  type CheckFormat,
  type CheckMetric,
  type CheckState,
  type CheckVerdict,
  formatVerdict,
  stateOf,
  states,
  worst,
} from './plugin.ts';
import { type Threshold, thresholdIn } from './threshold.ts';

export interface Measurement {
  readonly says: string; // the result, for people
  readonly metrics: readonly CheckMetric[];
}

export interface Check {
  readonly name: string;
  readonly metrics: readonly [string, ...string[]]; // the first is the metric for --warn and --crit
  readonly warn: string;
  readonly crit: string;
  readonly endpoints: readonly Endpoint[];
  readonly measure: (context: Context) => Promise<Measurement>;
}

export const formatOption = {
  output: optional(
    oneOf('nagios', 'prometheus', 'json'),
    'Output format: one line (nagios), metrics, or a document',
  ),
};

const exitCodeOf = (state: CheckState) => states.indexOf(state) as ExitCode & (0 | 1 | 2 | 3);

/** The command of a check. */
export const monitor = (
  check: Check,
  { summary, examples }: { summary: string; examples: readonly [string, ...string[]] },
) =>
  command({
    summary,
    description: `Prints one line for monitoring systems. Exit codes: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN, also when the service cannot be reached. Thresholds are ranges: 10 alerts below 0 and above 10, 10: below 10, ~:10 above 10, 10:20 outside the range, @10:20 inside. Without --metric they apply to [${check.metrics[0]}].`,
    examples,
    endpoints: check.endpoints,
    options: {
      warn: optional(text, `The range outside of which it is a WARNING (${check.warn})`),
      crit: optional(text, `The range outside of which it is CRITICAL (${check.crit})`),
      metric: optional(
        oneOf(...check.metrics),
        `The number that --warn and --crit are for (${check.metrics[0]})`,
      ),
      ...formatOption,
    },
    shorts: { output: 'o' },
    async run(context, { options: { warn, crit, metric, output = 'nagios' } }) {
      return report(context, output, check.name, async () => {
        const isUsual = metric === undefined || metric === check.metrics[0];
        const thresholds = {
          warn: rangeOf(warn ?? (isUsual ? check.warn : undefined), '--warn'),
          crit: rangeOf(crit ?? (isUsual ? check.crit : undefined), '--crit'),
        };
        return verdictOf(
          check,
          await check.measure(context),
          metric ?? check.metrics[0],
          thresholds,
        );
      });
    },
  });

const rangeOf = (given: string | undefined, flag: string) =>
  given === undefined ? undefined : thresholdIn(given, flag);

/** The verdict of a check by its default thresholds. */
export const defaultVerdict = async (context: Context, check: Check): Promise<CheckVerdict> =>
  verdictOf(check, await check.measure(context), check.metrics[0], {
    warn: rangeOf(check.warn, '--warn'),
    crit: rangeOf(check.crit, '--crit'),
  });

function verdictOf(
  { name }: Check,
  { says, metrics }: Measurement,
  about: string,
  thresholds: { readonly warn: Threshold | undefined; readonly crit: Threshold | undefined },
): CheckVerdict {
  const held = metrics.map((metric) =>
    metric.name === about ? { ...metric, ...thresholds } : metric,
  );
  return { check: name, state: worst(held.map(stateOf)), says, metrics: held };
}

/** Prints the result of a check; its state is the exit code. */
export async function report(
  { out }: Context,
  format: CheckFormat,
  name: string,
  find: () => Promise<CheckVerdict>,
): Promise<ExitCode> {
  const verdict = await find().catch((error: unknown): CheckVerdict => {
    if (error instanceof Interrupted || !(error instanceof Error)) throw error;
    return { check: name, state: 'UNKNOWN', says: error.message, metrics: [] };
  });
  await out.text([formatVerdict(verdict, format)]);
  return exitCodeOf(verdict.state);
}

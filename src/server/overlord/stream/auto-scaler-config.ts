// Autoscaler configuration of a supervisor (Druid: LagBasedAutoScalerConfig).
import type { SpecFields, SpecValues } from '../../checks/spec-fields.ts';

export interface AutoScalerConfig {
  readonly taskCountMax: number;
  readonly taskCountMin: number;
  readonly taskCountStart: number;
  readonly minTriggerScaleActionFrequencyMillis: number;
  readonly lagCollectionIntervalMillis: number;
  readonly lagCollectionRangeMillis: number;
  readonly scaleActionStartDelayMillis: number;
  readonly scaleActionPeriodMillis: number;
  readonly scaleOutThreshold: number;
  readonly scaleInThreshold: number;
  readonly triggerScaleOutFractionThreshold: number;
  readonly triggerScaleInFractionThreshold: number;
  readonly scaleInStep: number;
  readonly scaleOutStep: number;
  readonly lagAggregate: 'SUM' | 'MAX' | 'AVERAGE';
  // The share of tasks that may publish at once because of their age
  readonly stopTaskCountRatio: number | undefined;
}

/**
 * Reads an autoScalerConfig; undefined unless enabled. Throws a Refusal that names the invalid
 * field.
 */
export function parseAutoScaler(fields: SpecFields | undefined): AutoScalerConfig | undefined {
  if (!fields) return undefined;
  const strategy = fields.optionalText('autoScalerStrategy') ?? defaults.autoScalerStrategy;
  if (strategy === 'costBased')
    fields.refuse('autoScalerStrategy [costBased] is not supported; supported is [lagBased]');
  if (strategy !== 'lagBased')
    fields.refuse(`autoScalerStrategy [${strategy}] is not known; supported is [lagBased]`);
  if (!fields.truth('enableTaskAutoScaler')) return undefined;
  const [most, least] = [
    fields.optionalInteger('taskCountMax'),
    fields.optionalInteger('taskCountMin'),
  ];
  if (most === undefined || least === undefined)
    return fields.refuse(
      'taskCountMax or taskCountMin can not be null when enableTaskAutoScaler is true',
    );
  if (least < 1) fields.refuse(`taskCountMin[${least}] must be greater than 0`);
  if (most < least) fields.refuse('taskCountMax can not be lower than taskCountMin');
  const start = fields.optionalInteger('taskCountStart') ?? least;
  if (start < least || start > most)
    fields.refuse(
      `taskCountStart[${start}] must lie between taskCountMin[${least}] and taskCountMax[${most}]`,
    );
  const ratio = fields.has('stopTaskCountRatio')
    ? fraction(fields, 'stopTaskCountRatio', 1)
    : undefined;
  if (ratio === 0) fields.refuse('stopTaskCountRatio[0] must be greater than 0');
  const config = {
    taskCountMax: most,
    taskCountMin: least,
    taskCountStart: start,
    minTriggerScaleActionFrequencyMillis: atLeast(
      fields,
      'minTriggerScaleActionFrequencyMillis',
      0,
    ),
    lagCollectionIntervalMillis: atLeast(fields, 'lagCollectionIntervalMillis', 1),
    lagCollectionRangeMillis: atLeast(fields, 'lagCollectionRangeMillis', 0),
    scaleActionStartDelayMillis: atLeast(fields, 'scaleActionStartDelayMillis', 0),
    scaleActionPeriodMillis: atLeast(fields, 'scaleActionPeriodMillis', 1),
    scaleOutThreshold: atLeast(fields, 'scaleOutThreshold', 0),
    scaleInThreshold: atLeast(fields, 'scaleInThreshold', 0),
    triggerScaleOutFractionThreshold: fraction(
      fields,
      'triggerScaleOutFractionThreshold',
      defaults.triggerScaleOutFractionThreshold,
    ),
    triggerScaleInFractionThreshold: fraction(
      fields,
      'triggerScaleInFractionThreshold',
      defaults.triggerScaleInFractionThreshold,
    ),
    scaleInStep: atLeast(fields, 'scaleInStep', 0),
    scaleOutStep: atLeast(fields, 'scaleOutStep', 0),
    lagAggregate: aggregateIn(fields),
    stopTaskCountRatio: ratio,
  };
  const points = pointsOf(config);
  if (points > maxPoints)
    fields.refuse(
      `lagCollectionRangeMillis spans [${points}] intervals of lagCollectionIntervalMillis; at most [${maxPoints}] are supported`,
    );
  return config;
}

/** Number of stored lags. */
export const pointsOf = ({
  lagCollectionRangeMillis,
  lagCollectionIntervalMillis,
}: AutoScalerConfig): number =>
  Math.trunc(lagCollectionRangeMillis / lagCollectionIntervalMillis) + 1;

/**
 * An autoScalerConfig in the form that is stored and shown. A disabled one has no bounds: the real
 * engine does not read them.
 */
export const completeAutoScaler = (
  given: SpecValues,
  config: AutoScalerConfig | undefined,
): SpecValues => ({
  ...defaults,
  ...given,
  ...(!config && { taskCountMax: 0, taskCountMin: 0 }),
});

const maxPoints = 10_000;

const defaults = {
  enableTaskAutoScaler: false,
  autoScalerStrategy: 'lagBased',
  minTriggerScaleActionFrequencyMillis: 600_000,
  lagCollectionIntervalMillis: 30_000,
  lagCollectionRangeMillis: 600_000,
  scaleOutThreshold: 6_000_000,
  triggerScaleOutFractionThreshold: 0.3,
  scaleInThreshold: 1_000_000,
  triggerScaleInFractionThreshold: 0.9,
  scaleActionStartDelayMillis: 300_000,
  scaleActionPeriodMillis: 60_000,
  scaleInStep: 1,
  scaleOutStep: 2,
};

type Integers = Exclude<
  keyof typeof defaults,
  | 'enableTaskAutoScaler'
  | 'autoScalerStrategy'
  | 'triggerScaleOutFractionThreshold'
  | 'triggerScaleInFractionThreshold'
>;

function atLeast(fields: SpecFields, name: Integers, least: number): number {
  const value = fields.long(name, defaults[name]);
  return value >= least ? value : fields.refuse(`${name}[${value}] must be at least [${least}]`);
}

function fraction(fields: SpecFields, name: string, otherwise: number): number {
  const text = fields.optionalText(name);
  const value = text === undefined ? otherwise : Number(text);
  const isFraction = text?.trim() !== '' && value >= 0 && value <= 1;
  return isFraction ? value : fields.refuse(`${name}[${text}] must be a number from 0 to 1`);
}

function aggregateIn(fields: SpecFields): AutoScalerConfig['lagAggregate'] {
  const name = fields.optionalText('lagAggregate') ?? 'SUM';
  const known = ['SUM', 'MAX', 'AVERAGE'] as const;
  return (
    known.find((each) => each === name) ??
    fields.refuse(`lagAggregate [${name}] is not known; known are [${known.join(', ')}]`)
  );
}

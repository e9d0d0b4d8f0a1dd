// Dynamic configuration of the Overlord (the specification, "Overlord dynamic configuration";
// Druid: WorkerBehaviorConfig).
import type { OverlordDynamicConfig } from '../../contract/workers.ts';
import { invalidSpec } from '../checks/spec-fields.ts';

/**
 * The configuration as read by the real engine: known fields only, with defaults; an unknown
 * strategy becomes the default. Refuses a strategy in JavaScript: the language is disabled there by
 * default.
 */
export const completeWorkerConfig = ({
  selectStrategy,
  autoScaler,
}: OverlordDynamicConfig): OverlordDynamicConfig => ({
  type: 'default',
  selectStrategy: selectStrategy ? completeStrategy(selectStrategy) : null,
  autoScaler: autoScaler ?? null,
});

type Strategy = NonNullable<OverlordDynamicConfig['selectStrategy']>;

function completeStrategy(given: Strategy): Strategy {
  if (given.type === 'javascript') throw invalidSpec('JavaScript is disabled');
  const type = strategies.includes(given.type) ? given.type : 'equalDistribution';
  const choice = type.endsWith('WithCategorySpec')
    ? {
        workerCategorySpec: given.workerCategorySpec
          ? completeCategories(given.workerCategorySpec)
          : null,
      }
    : { affinityConfig: given.affinityConfig ? completeAffinity(given.affinityConfig) : null };
  return {
    type,
    ...choice,
    taskLimits: { maxSlotCountByType: {}, maxSlotRatioByType: {}, ...objectIn(given.taskLimits) },
  };
}

const strategies = [
  'equalDistribution',
  'equalDistributionWithAffinity',
  'equalDistributionWithCategorySpec',
  'fillCapacity',
  'fillCapacityWithAffinity',
  'fillCapacityWithCategorySpec',
];

const completeAffinity = ({ affinity, strong }: NonNullable<Strategy['affinityConfig']>) => ({
  affinity,
  strong: strong ?? false,
});

const completeCategories = ({
  categoryMap,
  strong,
}: NonNullable<Strategy['workerCategorySpec']>) => ({
  categoryMap: Object.fromEntries(
    Object.entries(categoryMap ?? {}).map(([taskType, category]) => [
      taskType,
      {
        defaultCategory: category.defaultCategory ?? null,
        categoryAffinity: objectIn(category.categoryAffinity),
        supervisorIdCategoryAffinity: objectIn(category.supervisorIdCategoryAffinity),
      },
    ]),
  ),
  strong: strong ?? false,
});

const objectIn = (given: unknown): object =>
  typeof given === 'object' && given !== null ? given : {};

// Destination of a SELECT's rows (Druid: multi-stage-query/reference, `selectDestination`).
import { oneOfNames } from '../checks/context-values.ts';
import { Refusal } from '../checks/refusals.ts';

export type SelectDestination = 'durableStorage' | 'taskReport';

/**
 * The destination in a context; `taskReport` by default. Throws a Refusal for a destination that
 * SELECT does not have.
 */
export function selectDestinationIn(context: Readonly<Record<string, unknown>>): SelectDestination {
  const named = oneOfNames(context, 'selectDestination', 'MSQSelectDestination', [
    'TASKREPORT',
    'EXPORT',
    'DURABLESTORAGE',
    'LIVEFRAMES',
  ]);
  switch (named) {
    case undefined:
    case 'TASKREPORT':
      return 'taskReport';
    case 'DURABLESTORAGE':
      return 'durableStorage';
    default:
      throw new Refusal(
        'invalidInput',
        `Unsupported select destination [${String(context.selectDestination)}]: the rows of a SELECT go to [taskReport] or [durableStorage]`,
      );
  }
}

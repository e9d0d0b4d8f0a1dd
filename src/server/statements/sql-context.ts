// Context parameters of SQL that the planner and its queries read (Druid: PlannerContext).
import {
  type ContextType,
  contextRefusal,
  wrongContextValue,
  wrongTypeIn,
} from '../checks/context-values.ts';
import { joinAlgorithmUnsupported } from './sql-refusals.ts';

type Context = Readonly<Record<string, unknown>>;

export type JoinAlgorithm = (typeof joinAlgorithms)[number];

const joinAlgorithms = ['broadcast', 'sortMerge'] as const;

/** Refuses parameters of the planner of another type, and sortMerge, which only tasks have. */
export function checkPlannerContext(context: Context): void {
  checkTypes(context, plannerTypes);
  if (joinAlgorithmIn(context) === 'sortMerge') throw joinAlgorithmUnsupported();
}

/** Refuses parameters of another type that the queries of a statement over tables read. */
export const checkTablesContext = (context: Context): void => checkTypes(context, tablesTypes);

/** The algorithm of joins; broadcast by default. Refuses other names. */
export function joinAlgorithmIn(context: Context): JoinAlgorithm {
  const { sqlJoinAlgorithm: given = null } = context;
  if (given === null) return 'broadcast';
  const found = joinAlgorithms.find((name) => name === given);
  if (found) return found;
  checkTypes(context, { sqlJoinAlgorithm: 'String' });
  throw wrongContextValue('sqlJoinAlgorithm', `one of [${joinAlgorithms.join(', ')}]`, given);
}

const plannerTypes: Readonly<Record<string, ContextType>> = {
  sqlPlannerBloat: 'Integer',
  inSubQueryThreshold: 'Integer',
  useApproximateCountDistinct: 'Boolean',
  useApproximateTopN: 'Boolean',
  useGroupingSetForExactDistinct: 'Boolean',
  useNativeQueryExplain: 'Boolean',
  maxNumericInFilters: 'Integer',
};

const tablesTypes: Readonly<Record<string, ContextType>> = {
  forceExpressionVirtualColumns: 'Boolean',
  lane: 'String',
  maxScatterGatherBytes: 'Long',
  maxQueuedBytes: 'Long',
  uncoveredIntervalsLimit: 'Integer',
  vectorSize: 'Integer',
};

function checkTypes(context: Context, types: Readonly<Record<string, ContextType>>): void {
  const found = wrongTypeIn(context, types);
  if (found) throw contextRefusal(found.message);
}

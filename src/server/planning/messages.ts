// Messages between the service and a planning process: plain values that the structured clone
// algorithm can copy.
import type { Table, TableSegment, TimeRange, Wanted } from '../../sql/catalog.ts';
import type { SqlErrorFields } from '../../sql/sql-error.ts';
import type { PlanningResult, PlanRequest } from './plan.ts';

/**
 * A request for the process. A large part of it stays JSON text, which is copied much faster than
 * the parsed values.
 */
export interface Job {
  readonly request: PlanRequest;
  /**
   * The body of the HTTP request: a native query without its context, or the parameters of a
   * statement.
   */
  readonly body?: string | undefined;
}

/** Outcome of a job. */
export type PlanningOutcome =
  | { readonly kind: 'planned'; readonly plan: PlanningResult }
  | { readonly kind: 'refused'; readonly message: string; readonly fields: SqlErrorFields }
  | { readonly kind: 'invalidTime'; readonly message: string }
  | { readonly kind: 'thrown'; readonly id: number } // by the catalog: the service has kept the error
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string | undefined };

/**
 * A call to the catalog of the service. Tables and segments are named by their index among earlier
 * answers.
 */
export type CatalogCall =
  | { readonly ask: 'table'; readonly schema: string | undefined; readonly name: string }
  | { readonly ask: 'lookup'; readonly name: string }
  | { readonly ask: 'scan'; readonly table: number; readonly wanted: Wanted }
  | {
      readonly ask: 'segments';
      readonly table: number;
      readonly intervals: readonly TimeRange[] | undefined;
    }
  | { readonly ask: 'scanSegment'; readonly segment: number; readonly wanted: Wanted };

/** The answer to a call, or the number of the error that the catalog threw. */
export type CatalogAnswer = { readonly value: unknown } | { readonly thrown: number };

/** A table without its functions. */
export interface TableDescription extends Omit<Table, 'scan' | 'segments'> {
  readonly index: number;
  readonly hasSegments: boolean;
}

/** Segments without their functions; the first has the index, the others follow. */
export interface SegmentDescriptions {
  readonly index: number;
  readonly segments: readonly Omit<TableSegment, 'scan'>[];
}

/** File descriptor of a planning process for messages to and from the service. */
export const channelOfService = 3;

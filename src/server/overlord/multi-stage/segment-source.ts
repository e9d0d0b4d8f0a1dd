// Sources that a statement reads besides published segments (Druid: multi-stage-query/reference,
// `includeSegmentSource`).
import { oneOfNames } from '../../checks/context-values.ts';

/** `REALTIME`: also the rows that running stream tasks have not published yet. */
export type SegmentSource = 'NONE' | 'REALTIME';

/**
 * The source that a context says, `NONE` when it says none; throws a Refusal for one that there is
 * not.
 */
export const segmentSourceIn = (context: Readonly<Record<string, unknown>>): SegmentSource =>
  oneOfNames(context, 'includeSegmentSource', 'SegmentSource', ['NONE', 'REALTIME']) ?? 'NONE';

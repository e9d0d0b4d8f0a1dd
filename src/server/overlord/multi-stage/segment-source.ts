// Sources of a statement besides published segments (Druid: multi-stage-query/reference,
// `includeSegmentSource`).
import { oneOfNames } from '../../checks/context-values.ts';

/** `REALTIME` includes rows that running stream tasks have not published yet. */
export type SegmentSource = 'NONE' | 'REALTIME';

/** The source in a context, `NONE` by default; throws a Refusal for an unknown one. */
export const segmentSourceIn = (context: Readonly<Record<string, unknown>>): SegmentSource =>
  oneOfNames(context, 'includeSegmentSource', 'SegmentSource', ['NONE', 'REALTIME']) ?? 'NONE';

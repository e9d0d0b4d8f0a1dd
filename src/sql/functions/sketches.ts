// Sketches: here a sketch is the exact set or list of its values, so estimates are exact.
import type { Aggregate } from '../aggregates.ts';

export const sketchAggregates: Readonly<Record<string, Aggregate>> = {};

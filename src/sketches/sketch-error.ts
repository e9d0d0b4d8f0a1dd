/**
 * Bytes that are no sketch of the wanted kind, or sketches that do not fit together. The message
 * says what is wrong with them.
 */
export class InvalidSketch extends Error {}

/** Invalid bytes of a sketch, or sketches that cannot be combined. The message names the fault. */
export class InvalidSketch extends Error {}

/**
 * The service cannot start, for a reason that its message tells the operator: a port in use, a data
 * folder in use or of a newer version.
 */
export class CannotStart extends Error {}

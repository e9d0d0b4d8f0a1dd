// Error of a failed start.

/**
 * The service cannot start; the message tells the operator why: a port in use, a data folder in use
 * or of a newer version.
 */
export class CannotStart extends Error {}

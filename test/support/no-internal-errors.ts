// An internal error of a service in this process fails the test that it happens in. Services of
// their own are watched by `startServed`.
import { afterEach, expect } from 'vitest';
import { internalErrors } from '../../src/server/process/log.ts';

let known = internalErrors(); // of files before this one in the same process

/** The test provokes so many internal errors itself. */
export function expectInternalErrors(count: number): void {
  known += count;
}

afterEach(() => {
  const count = internalErrors() - known;
  known = internalErrors();
  expect(count, 'internal errors of the service, which its log shows').toBe(0);
});

// Hostile requests to every endpoint, and random SQL; `npm run test:fuzz`. FUZZ_REQUESTS for each
// endpoint, FUZZ_SECONDS for all of them, SEED to repeat a run.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/fuzz/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    setupFiles: 'test/support/no-internal-errors.ts',
    testTimeout: 120_000,
    fileParallelism: false,
  },
});

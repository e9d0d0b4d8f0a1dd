import { defineConfig } from 'vitest/config';

// A real broker, started once for all files, which run one after the other.
export default defineConfig({
  test: {
    include: ['test/kafka/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/kafka/broker.ts'],
    setupFiles: 'test/support/no-internal-errors.ts',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});

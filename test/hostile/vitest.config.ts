// Slow, because some attacks may run for seconds; `npm run test:hostile`. Attacks run one after
// another, so that each is measured by itself.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/hostile/**/*.test.ts'],
    globalSetup: ['test/hostile/summary.ts', 'test/support/build.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});

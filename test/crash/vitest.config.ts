// Slow, because each story starts and kills real services; `npm run test:crash`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    setupFiles: 'test/support/no-internal-errors.ts',
    testTimeout: 300_000,
    fileParallelism: false,
  },
});

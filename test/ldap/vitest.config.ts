import { defineConfig } from 'vitest/config';

// Real directories (slapd), one for each file or test that needs its own.
export default defineConfig({
  test: {
    include: ['test/ldap/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/ldap/skipped.ts'],
    setupFiles: 'test/support/no-internal-errors.ts',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

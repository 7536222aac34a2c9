import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/unit/**/*.test.ts',
      'test/property/**/*.test.ts',
      'test/fuzz/**/*.test.ts',
      'test/golden/**/*.test.ts',
      'test/differential/**/*.test.ts',
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/property-seed.ts", "test/contract.ts"],
    // Native addons and worker threads: a process each, so that a crash names its file.
    pool: "forks",
    maxWorkers: Math.max(1, Math.min(4, availableParallelism())),
    // Limits for a noisy machine, not measures of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    allowOnly: false,
    // A test without an assertion cannot fail.
    expect: { requireAssertions: true },
  },
});

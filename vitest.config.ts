import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Tests that run the ONNX runtime in their own thread, that crash, start or measure processes, or that plant bugs in the
 * modules that they load.
 */
const alone = [
  "test/engine/images/**/*.test.ts",
  "test/engine/vision/**/*.test.ts",
  "test/engine/llama/smoke.test.ts",
  "test/end-to-end/process/**/*.test.ts",
  "test/simulation/**/*.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/random-cases.ts", "test/contract.ts"],
    pool: "forks",
    maxWorkers: Math.max(1, Math.min(4, availableParallelism())),
    // Limits for a busy machine, not measures of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    allowOnly: false,
    // A test without an assertion cannot fail.
    expect: { requireAssertions: true },
    projects: [
      // One process per file, so that a crash of native code names its file.
      { extends: true, test: { name: "alone", include: alone } },
      // Files share a process and its modules, because importing them again for each file took longer than
      // most tests.
      {
        extends: true,
        test: { name: "shared", include: ["test/**/*.test.ts"], exclude: alone, isolate: false },
      },
    ],
  },
});

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { postgresUnavailable } from "./test/kit/databases/postgres/available.js";
import { filesBeyond, isNightly, readSize } from "./test/kit/sizes.js";

/**
 * Tests that run the ONNX runtime in their own thread, that crash, that measure their own process, that plant bugs in the modules
 * that they load, or that load a library which has to precede the engine's. Each pays for importing the server again, which takes
 * three seconds.
 */
const alone = [
  "test/engine/images/published-models.test.ts",
  "test/engine/vision/{engine,families,greedy}.test.ts",
  "test/engine/llama/decode/grammar-bounds.test.ts",
  "test/engine/llama/{native,placement,smoke}.test.ts",
  "test/end-to-end/process/{eviction,faulty-disk,load,memory,threads}.test.ts",
  "test/simulation/**/*.test.ts",
];

/** Tests of PostgreSQL alone. */
const ofPostgres = [
  "test/store/postgres/**/*.test.ts",
  "test/accounts/limits/postgres/**/*.test.ts",
  "test/nodes/**/*.test.ts",
];

/** Tests that run once more over PostgreSQL: what is stored, and what has to hold when requests are parallel. */
const onBoth = [
  "test/accounts/{keys,members}/store.test.ts",
  "test/accounts/{budgets,money,usage}/*.test.ts",
  "test/accounts/sign-in/races.test.ts",
  "test/inference/responses/*.test.ts",
  "test/jobs/{claims,deferred-completions,store}.test.ts",
  "test/http/management/{requests,stored}/list.test.ts",
  "test/http/management/accounts/{budgets,key-search}.test.ts",
  "test/http/management/billing/{admission,credits,spending-limits}.test.ts",
  "test/http/limits/refused-requests.test.ts",
  "test/http/inference/runs/tags.test.ts",
  "test/http/inference/chat/deferred-outcomes.test.ts",
  "test/http/inference/responses/cancel.test.ts",
];

/** Those that run once more in the nightly run only: routes over the same stores. */
const onBothNightly = [
  "test/http/management/accounts/{access-groups,budget-routes,last-use}.test.ts",
  "test/http/management/billing/{billing,invoice,usage}.test.ts",
  "test/http/inference/batches/{budgets,limits}.test.ts",
  "test/http/inference/chat/{deferred-completion,stored}.test.ts",
  "test/http/inference/conversations/stored.test.ts",
  "test/http/inference/responses/{background,stored}.test.ts",
];

/** Tests of what only SQLite has: its query plans. */
const ofSqlite = ["test/accounts/**/query-plans.test.ts"];

const size = readSize(process.env);
// What the run before this one has passed on the same sources: scripts/check.mjs writes the list.
const passedFiles = process.env["TEST_FILES_PASSED"];
const passed = passedFiles === undefined ? [] : readFileSync(passedFiles, "utf8").split("\n");
const leftOut = [...filesBeyond(size), ...passed];
const twice = size === "small" || postgresUnavailable(process.env) !== null ? [] : [...ofPostgres, ...onBoth];
const twiceNightly = twice.length > 0 && isNightly(process.env) ? onBothNightly : [];

export default defineConfig({
  test: {
    globalSetup: ["test/kit/setup/global-setup.ts"],
    setupFiles: ["test/kit/setup/random-cases.ts", "test/kit/setup/contract.ts"],
    pool: "forks",
    // Room for young objects: collecting them takes a twentieth less of the time of a worker.
    execArgv: ["--max-semi-space-size=64"],
    // One more than cores: tests wait for disks, processes and other threads.
    maxWorkers: Math.min(5, availableParallelism() + 1),
    // Limits for a busy machine, not measures of speed.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    allowOnly: false,
    // A test without an assertion cannot fail.
    expect: { requireAssertions: true, poll: { timeout: 150_000 } },
    projects: [
      // One process per file, so that a crash of native code names its file.
      { extends: true, test: { name: "alone", include: alone, exclude: leftOut } },
      // Files share a process and its modules, because importing them again for each file took longer than
      // most tests.
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...alone, ...ofPostgres, ...leftOut],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: [...twice, ...twiceNightly],
          exclude: ofSqlite,
          isolate: false,
          env: { TEST_DATABASE: "postgres" },
        },
      },
    ],
  },
});

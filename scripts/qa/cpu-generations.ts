/**
 * `npm run test:cpu-generations [-- haswell zen4]`: runs the tests of the engine, and those that compare answers of the built-in
 * model, once for each CPU generation that the prebuilt engine has a library for, with only that library in place. Floating
 * point rounding differs between the libraries, so a test that depends on it passes with one and fails with another. Works in
 * a temporary copy of the checkout. Prints a line for each generation; exits with 1 when a test failed or nothing could be
 * run, with 2 when it was called wrongly.
 */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./world/root.js";
import { copyCheckout, libraryFolder } from "./cpu-generations/checkout.js";
import { chosen, cpuFlags, generationsIn, type Generation } from "./cpu-generations/generations.js";
import { removeAtEnd } from "./cpu-generations/removal.js";
import { runTests, type TestRun } from "./cpu-generations/tests.js";

const nameWidth = 16;

process.exitCode = await main();

async function main(): Promise<number> {
  const libraries = join(root, libraryFolder);
  let generations: readonly Generation[];
  try {
    const { positionals } = parseArgs({ allowPositionals: true });
    generations = chosen(generationsIn(libraries, cpuFlags(cpuInfo())), positionals);
  } catch (thrown) {
    return fail(2, thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (process.platform !== "linux" || process.arch !== "x64" || !existsSync(libraries))
    return fail(1, "only the engine's libraries for Linux on x64 can be checked, and they must be installed");
  const runnable = generations.filter((generation) => reportSkipped(generation));
  if (runnable.length === 0) return fail(1, "this CPU can run none of these generations");
  return (await runAll(runnable)) ? 0 : 1;
}

function cpuInfo(): string {
  const file = "/proc/cpuinfo";
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function fail(code: number, message: string): number {
  process.stderr.write(`test:cpu-generations: ${message}\n`);
  return code;
}

/** Prints why a generation is left out. @returns whether it can be run. */
function reportSkipped({ name, missing }: Generation): boolean {
  if (missing?.length === 0) return true;
  const reason = missing === null ? "which CPU flags it needs is not recorded" : `no ${missing.join(", ")}`;
  process.stdout.write(`${name.padEnd(nameWidth)}skipped: ${reason}\n`);
  return false;
}

/** @returns whether every test passed. */
async function runAll(generations: readonly Generation[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-cpu-"));
  const removal = removeAtEnd(folder);
  let allPassed = true;
  try {
    const copy = copyCheckout(root, folder);
    for (const { name } of generations) {
      copy.use(name);
      const run = await runTests(folder, name, removal);
      allPassed &&= run.failures.length === 0;
      report(name, run);
    }
  } finally {
    await removal.now();
  }
  return allPassed;
}

function report(name: string, { passed, failures, seconds }: TestRun): void {
  const counts = `passed ${passed}`.padEnd(12) + `failed ${failures.length}`.padEnd(11);
  process.stdout.write(`${name.padEnd(nameWidth)}${counts}${seconds.toFixed(0)} s\n`);
  for (const failure of failures) process.stdout.write(`    ${failure.replaceAll("\n", "\n    ")}\n`);
}

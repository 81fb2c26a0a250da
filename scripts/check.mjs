/**
 * Checks everything; `npm test` runs it. `npm test -- lint types` runs only the steps named.
 *
 * The still steps run side by side as far as there are cores; the tests run last and alone, because they start servers and
 * models of their own. Every step runs whatever the others found. What a step printed is shown whole when it failed and not
 * at all when it passed. The last line is `N passed, N failed`, where every test, and every step that is not the tests,
 * counts as one; the exit code is 1 when anything failed and 2 for an unknown step.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ name: string, tool: string, args: string[] }} Step
 * @typedef {{ passed: number, failed: number }} Tally
 * @typedef {{ status: string, assertionResults: unknown[] }} TestFile
 * @typedef {{ numPassedTests: number, numFailedTests: number, testResults: TestFile[] }} TestReport what vitest writes
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "hearth-check-"));
const testReport = join(scratch, "tests.json");

/** The longest first: the others fit beside it. @type {Step[]} */
const stillSteps = [
  { name: "lint", tool: "eslint/bin/eslint.js", args: ["--max-warnings", "0", "."] },
  { name: "build", tool: "../scripts/build.mjs", args: ["--if-stale"] },
  { name: "types", tool: "typescript/bin/tsc", args: ["-p", "test"] },
  { name: "page-types", tool: "typescript/bin/tsc", args: ["-p", "src/http/docs"] },
  { name: "format", tool: "prettier/bin/prettier.cjs", args: ["--check", "--log-level", "warn", "."] },
  {
    name: "imports",
    tool: "dependency-cruiser/bin/dependency-cruise.mjs",
    args: ["--config", ".dependency-cruiser.cjs", "src"],
  },
  { name: "dead-code", tool: "knip/bin/knip.js", args: ["--no-progress", "--treat-config-hints-as-errors"] },
];

/** @type {Step} */
const testStep = {
  name: "tests",
  tool: "vitest/vitest.mjs",
  args: ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${testReport}`],
};

process.exitCode = await main(process.argv.slice(2)).finally(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** @param {string[]} names the steps wanted; none means all */
async function main(names) {
  const known = [...stillSteps, testStep].map((step) => step.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`unknown step: ${unknown.join(", ")} (steps: ${known.join(", ")})\n`);
    return 2;
  }
  const wanted = (/** @type {Step} */ step) => names.length === 0 || names.includes(step.name);
  const tallies = await sideBySide(stillSteps.filter(wanted));
  if (wanted(testStep)) tallies.push(await run(testStep));
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** @param {readonly Step[]} steps */
async function sideBySide(steps) {
  const waiting = [...steps];
  /** @type {Tally[]} */
  const tallies = [];
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      tallies.push(await run(step));
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  return tallies;
}

/**
 * Runs a step, prints its line and, when it failed, what it printed.
 * @param {Step} step
 * @returns {Promise<Tally>}
 */
async function run(step) {
  const began = performance.now();
  const { code, output } = await spawned(join(root, "node_modules", step.tool), step.args);
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${code === 0 ? "pass" : "FAIL"}  ${step.name.padEnd(10)}${seconds} s\n`);
  if (code !== 0) process.stdout.write(`${output.trimEnd()}\n\n`);
  if (step === testStep) return tallyOfTests(code);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * @param {string} script
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function spawned(script, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (output += text));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}\nended by ${signal}` });
    });
  });
}

/**
 * A file that did not load, or an error outside any test, counts as one failure.
 * @param {number} code
 * @returns {Tally}
 */
function tallyOfTests(code) {
  if (!existsSync(testReport)) return { passed: 0, failed: 1 };
  const report = /** @type {TestReport} */ (JSON.parse(readFileSync(testReport, "utf8")));
  const unloaded = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + unloaded.length;
  return { passed: report.numPassedTests, failed: code === 0 ? failed : Math.max(1, failed) };
}

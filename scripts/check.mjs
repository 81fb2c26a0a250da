/**
 * Checks the repository; `npm test` runs it. `npm test -- lint types` runs only the named steps. `npm test -- --changed` checks
 * only what the uncommitted changes can affect, `--changed=main` what has changed since that commit. `--all` runs the tests and steps that
 * must pass before a change lands, `--nightly` all of them, with all cases of the random ones: test/kit/sizes.ts has the list.
 *
 * The build comes first. Then the tests run, and beside them, one after another and at the lowest priority, the steps that only read
 * the sources: they use the time in which the tests wait. Every step runs even when another one failed. The output of a step is printed
 * only when it failed. Steps that only read the sources are not repeated on sources on which they have passed, as after `npm test` in
 * `npm test -- --all`, and that run does without the tests that the run before it has passed; `npm test -- lint tests` repeats what it
 * names. The last line is `N passed, N failed`, where every test, and every step that is not the tests, counts as one. Exit codes: 0 all
 * passed, 1 something failed, 2 wrong usage.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { affectedTests, changedFiles } from "./check/affected.mjs";
import { hashSources, hasPassed, keepPassed, keepSmallTests, takeSmallTests } from "./check/passed.mjs";

/**
 * @typedef {{ name: string, tool: string, args: string[], isLarger?: true }} Step `isLarger`: the small size does without it
 * @typedef {{ passed: number, failed: number }} Tally
 * @typedef {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} TestFile
 * @typedef {{ numPassedTests: number, numFailedTests: number, testResults: TestFile[] }} TestReport the report that vitest writes
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "hearth-check-"));
const testReport = join(scratch, "tests.json");
/** The tests that need not run, a line each; vitest.config.ts reads it. */
const passedFiles = join(scratch, "passed-files");

/** The types step finds what is wrong with the types. @type {Step} */
const buildStep = { name: "build", tool: "../scripts/build.mjs", args: ["--if-stale", "--unchecked"] };

/** @type {Step[]} */
const sourceSteps = [
  { name: "lint", tool: "oxlint/bin/oxlint", args: ["."] },
  { name: "types", tool: "typescript7/bin/tsc", args: ["-p", "test", "--singleThreaded"] },
  { name: "page-types", tool: "typescript7/bin/tsc", args: ["-p", "src/http/about/docs"] },
  { name: "console-types", tool: "typescript7/bin/tsc", args: ["-p", "src/console"] },
  {
    name: "format",
    tool: "prettier/bin/prettier.cjs",
    args: ["--check", "--cache", "--cache-strategy", "content", "--log-level", "warn", "."],
    isLarger: true,
  },
  { name: "imports", tool: "../scripts/check/imports.mjs", args: [] },
  {
    name: "dead-code",
    tool: "knip/bin/knip.js",
    args: ["--no-progress", "--treat-config-hints-as-errors"],
    isLarger: true,
  },
];

/** @type {Step} */
const testStep = {
  name: "tests",
  tool: "vitest/vitest.mjs",
  args: ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${testReport}`],
};

/** Room for young objects, of which compilers and linters make many: it saves a twentieth of their time. */
const nodeFlags = ["--max-semi-space-size=128"];

const allSteps = [buildStep, ...sourceSteps, testStep];

process.exitCode = await main(process.argv.slice(2)).finally(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** @param {string[]} args names of steps, none means all, and `--changed[=COMMIT]` */
async function main(args) {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = unknownArguments(args);
  if (unknown !== null) {
    process.stderr.write(`${unknown}\n`);
    return 2;
  }
  const size = chooseSize(args);
  process.env["TEST_SIZE"] = size;
  const isWanted = (/** @type {Step} */ step) =>
    names.length === 0 ? size !== "small" || step.isLarger !== true : names.includes(step.name);
  const steps = allSteps.filter(isWanted);
  const since = args.find((arg) => arg.startsWith("--changed"));
  const chosen = since === undefined ? steps : changedOnly(steps, since.split("=")[1] ?? "HEAD");
  if (chosen === null) return 2;
  const among = (/** @type {Step[]} */ list) =>
    chosen.filter(({ name }) => list.some((step) => step.name === name));
  const tallies = await inTurn(among([buildStep]), run);
  // A part of the sources, or a step that is named, is not what the whole check has passed on.
  const sources = names.length === 0 && since === undefined ? hashSources(root) : null;
  const [ofTests, ofSources] = await Promise.all([
    inTurn(among([testStep]), (step) => runTests(step, size, sources)),
    inTurn(among(sourceSteps), (step) => runOnce(step, sources)),
  ]);
  tallies.push(...ofSources, ...ofTests);
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/**
 * @param {string[]} args
 * @returns {string} the size of the check: what a change can affect belongs to all but the nightly run
 */
function chooseSize(args) {
  if (args.includes("--nightly")) return "nightly";
  return args.some((arg) => arg === "--all" || arg.startsWith("--changed")) ? "all" : "small";
}

/**
 * @param {string[]} args
 * @returns {string | null} what is wrong with them
 */
function unknownArguments(args) {
  const known = allSteps.map((step) => step.name);
  const steps = args.filter((arg) => !arg.startsWith("--") && !known.includes(arg));
  if (steps.length > 0) return `unknown step: ${steps.join(", ")} (steps: ${known.join(", ")})`;
  const options = args.filter((arg) => arg.startsWith("--") && !/^--(changed(=.+)?|all|nightly)$/.test(arg));
  return options.length > 0
    ? `unknown option: ${options.join(", ")} (options: --all, --nightly, --changed[=COMMIT])`
    : null;
}

/**
 * The steps, reduced to what has changed since a commit; null where git does not know it.
 * @param {Step[]} steps
 * @param {string} since
 * @returns {Step[] | null}
 */
function changedOnly(steps, since) {
  let changed;
  try {
    changed = changedFiles(root, since);
  } catch (thrown) {
    process.stderr.write(`git cannot compare with '${since}': ${String(thrown).split("\n")[0] ?? ""}\n`);
    return null;
  }
  const present = changed.filter((path) => existsSync(join(root, path)));
  const code = present.filter(
    (path) => /\.(ts|mjs|cjs|js)$/.test(path) && !path.startsWith("src/http/about/docs/"),
  );
  const tests = affectedTests(root, changed);
  process.stdout.write(
    `${changed.length} files changed since ${since}; they can affect ${tests.length} test files\n`,
  );
  return steps.flatMap((step) => {
    if (step.name === "lint")
      return code.length === 0 ? [] : [{ ...step, args: [...step.args.slice(0, -1), ...code] }];
    if (step.name === "format")
      return present.length === 0
        ? []
        : [{ ...step, args: [...step.args.slice(0, -1), "--ignore-unknown", ...present] }];
    if (step.name === testStep.name)
      return tests.length === 0 ? [] : [{ ...step, args: [...step.args, ...tests] }];
    return [step];
  });
}

/**
 * @param {readonly Step[]} steps
 * @param {(step: Step) => Promise<Tally>} runs
 */
async function inTurn(steps, runs) {
  /** @type {Tally[]} */
  const tallies = [];
  for (const step of steps) tallies.push(await runs(step));
  return tallies;
}

/**
 * Runs a step that only reads the sources, unless it has passed on them.
 * @param {Step} step
 * @param {string | null} sources their hash; null: it runs
 * @returns {Promise<Tally>}
 */
async function runOnce(step, sources) {
  if (sources !== null && hasPassed(root, step.name, sources)) {
    process.stdout.write(`pass  ${step.name}, on these sources before\n`);
    return { passed: 1, failed: 0 };
  }
  const tally = await run(step, constants.priority.PRIORITY_LOW);
  if (sources !== null && tally.failed === 0) keepPassed(root, step.name, sources);
  return tally;
}

/**
 * Runs the tests. In the size all, those that the small size has just passed on these sources count as passed.
 * @param {Step} step
 * @param {string} size
 * @param {string | null} sources their hash; null: all tests run, and nothing is kept
 * @returns {Promise<Tally>}
 */
async function runTests(step, size, sources) {
  if (sources === null || size === "nightly") return run(step);
  const before = size === "all" ? takeSmallTests(root, sources) : { files: [], passed: 0 };
  if (before.files.length > 0) {
    process.stdout.write(`pass  ${before.passed} tests, on these sources before\n`);
    writeFileSync(passedFiles, before.files.join("\n"));
    process.env["TEST_FILES_PASSED"] = passedFiles;
  }
  const tally = await run(step);
  if (size === "small" && tally.failed === 0) keepSmallTests(root, sources, listPassedTests());
  return { ...tally, passed: tally.passed + before.passed };
}

/** Returns the files of which every test has run and passed. */
function listPassedTests() {
  const report = /** @type {TestReport} */ (JSON.parse(readFileSync(testReport, "utf8")));
  const whole = report.testResults.filter(({ assertionResults }) =>
    assertionResults.every(({ status }) => status === "passed"),
  );
  return {
    files: whole.map(({ name }) => relative(root, name).replaceAll("\\", "/")),
    passed: whole.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0),
  };
}

/**
 * Runs a step and prints its line; its output follows when it failed.
 * @param {Step} step
 * @param {number} [priority] of its process
 * @returns {Promise<Tally>}
 */
async function run(step, priority = constants.priority.PRIORITY_NORMAL) {
  const began = performance.now();
  const { code, output } = await spawned(join(root, "node_modules", step.tool), step.args, priority);
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  const isOfTests = step.name === testStep.name;
  const ofStep = code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const tally = isOfTests ? tallyOfTests(code) : ofStep;
  // The report counts, too: a program can end with 0 although tests have failed.
  const hasFailed = tally.failed > 0;
  process.stdout.write(`${hasFailed ? "FAIL" : "pass"}  ${step.name.padEnd(10)}${seconds} s\n`);
  if (hasFailed) process.stdout.write(`${output.trimEnd()}\n\n`);
  if (isOfTests) printNotRun();
  return tally;
}

/**
 * @param {string} script
 * @param {string[]} args
 * @param {number} priority
 * @returns {Promise<{ code: number, output: string }>}
 */
function spawned(script, args, priority) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (child.pid !== undefined && priority !== constants.priority.PRIORITY_NORMAL)
      setPriority(child.pid, priority);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (output += text));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}\nended by ${signal}` });
    });
  });
}

/** Prints how many tests were not run where the name of their suite says why. */
function printNotRun() {
  if (!existsSync(testReport)) return;
  const report = /** @type {TestReport} */ (JSON.parse(readFileSync(testReport, "utf8")));
  const reasons = report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => status === "skipped" || status === "pending")
    .flatMap(({ fullName }) => /\(not run: ([^)]+)\)/.exec(fullName)?.slice(1, 2) ?? []);
  for (const reason of new Set(reasons)) {
    const count = reasons.filter((each) => each === reason).length;
    process.stdout.write(`      ${count} tests were not run: ${reason}\n`);
  }
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

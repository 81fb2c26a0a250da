/** Runs the tests that depend on the engine's arithmetic in a copy of the checkout. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseTestReport } from "../world/test-report.js";
import { nameLibrary } from "./generations.js";
import type { Removal } from "./removal.js";

export interface TestRun {
  readonly passed: number;
  /** One for each test that failed, with its first lines of explanation. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

/** The tests of the engine, and those that compare answers of a text model with each other. */
const testFiles = [
  "test/engine/llama",
  "test/end-to-end/clients",
  "test/end-to-end/structured",
  "test/end-to-end/text",
  "test/end-to-end/process/load.test.ts",
];

/** For a library without vector instructions, which takes ten times as long as the newest. */
const timeoutMs = 600_000;

const explanationLines = 3;

/** Runs the tests with the library that is in place, once it is certain that the engine loads it. */
export async function runTests(folder: string, generation: string, removal: Removal): Promise<TestRun> {
  const began = performance.now();
  const result = await testsWith(folder, nameLibrary(generation), removal);
  return { ...result, seconds: (performance.now() - began) / 1000 };
}

async function testsWith(
  folder: string,
  library: string,
  removal: Removal,
): Promise<Omit<TestRun, "seconds">> {
  const load = await runNode(
    folder,
    ["--import", "tsx", "scripts/qa/cpu-generations/print-loaded.ts"],
    removal,
  );
  if (load.stdout.trim() !== library)
    return {
      passed: 0,
      failures: [`the engine loaded '${load.stdout.trim()}', not ${library}: ${load.stderr}`],
    };
  const file = join(folder, "tests.json");
  rmSync(file, { force: true });
  const limits = [`--testTimeout=${timeoutMs}`, `--hookTimeout=${timeoutMs}`];
  const { code, stdout, stderr } = await runNode(
    folder,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      ...testFiles,
      ...limits,
      "--reporter=json",
      `--outputFile=${file}`,
    ],
    removal,
  );
  const output = `${stdout}\n${stderr}`;
  if (!existsSync(file)) return { passed: 0, failures: [`no report of the tests: ${output.slice(-2000)}`] };
  const read = readReport(readFileSync(file, "utf8"));
  const failures = code !== 0 && read.failures.length === 0 ? [output.slice(-2000)] : read.failures;
  return { ...read, failures };
}

/** What a report of vitest says; a file that did not load counts as one failure. */
export function readReport(json: string): Omit<TestRun, "seconds"> {
  const { numPassedTests, testResults } = parseTestReport(json);
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    if (status === "failed" && assertionResults.length === 0) return [shortened(name, message)];
    return assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => shortened(test.fullName, test.failureMessages.join("\n")));
  });
  return { passed: numPassedTests, failures };
}

function shortened(title: string, explanation: string): string {
  // vitest's report has a placeholder where a test took too long.
  const lines = explanation.replace("Error: STACK_TRACE_ERROR", "the test timed out").split("\n");
  return [title, ...lines.slice(0, explanationLines)].join("\n");
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node.js in a process group of its own, so that what it starts ends with it. */
function runNode(cwd: string, args: readonly string[], removal: Removal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    removal.works(child.pid ?? null);
    const written = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      removal.works(null);
      resolve({ code, ...written });
    });
  });
}

/** The built program as a user runs it: a process, its output and its exit code. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { root } from "./folder.js";
import { createUsualSettings } from "./server/settings.js";

const program = join(root, "dist/main.js");

export interface ProgramRun {
  readonly child: ChildProcess;
  /** Standard output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code or the name of the signal. */
  readonly exited: Promise<number | string>;
  /** Resolves with the first group of the first line of standard output that matches. */
  line(pattern: RegExp): Promise<string>;
}

export interface TestProcess extends ProgramRun {
  readonly url: string;
}

/** Runs `hearth start` as a process. @throws Error with its standard error when it ends before it listens. */
export async function startProcess(environment: NodeJS.ProcessEnv = {}): Promise<TestProcess> {
  const run = runProgram(["start"], { ...createUsualSettings(), ...environment });
  const url = await Promise.race([
    run.line(/^listening on (https?:\/\/\S+)$/),
    run.exited.then((code) => Promise.reject(new Error(`ended with ${code}: ${run.stderr()}`))),
  ]);
  return { ...run, url };
}

/**
 * Runs a command of the program. Its environment is only what is given here, PATH and HOME.
 * @param file another installed copy of the program
 */
export function runProgram(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  cwd: string = root,
  file: string = program,
): ProgramRun {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const written = { out: "", err: "" };
  const waiting: { pattern: RegExp; found: (text: string) => void }[] = [];
  const lines: string[] = [];
  child.stderr.on("data", (data: Buffer) => (written.err += data.toString()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    written.out += `${line}\n`;
    for (const { pattern, found } of waiting) pattern.exec(line)?.slice(1, 2).forEach(found);
  });
  const exited = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    child,
    exited,
    stdout: () => written.out,
    stderr: () => written.err,
    line: (pattern) =>
      new Promise((resolve) => {
        const met = lines.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
        if (met !== undefined) resolve(met);
        else waiting.push({ pattern, found: resolve });
      }),
  };
}

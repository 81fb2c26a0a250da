/** Fuzzes one target in a process of its own, and finds out which input it was when that process ends or does not answer. */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileModules } from "./build/compile.js";
import type { ChildResult, ChildTask } from "./child.js";
import { readNotes } from "./current-input.js";
import { root } from "../world/root.js";

export interface Campaign {
  /** The target's module, from the root of the repository. */
  readonly module: string;
  readonly seed: number;
  readonly inputs: number;
  readonly seconds: number;
  /** Only this input; absent: explores. */
  readonly input?: Uint8Array;
  /** Default: true. */
  readonly isGuided?: boolean;
  /** Time on the clock after which an input is taken not to end; default: 60. */
  readonly hangSeconds?: number;
}

export type CampaignResult = Omit<ChildResult, "failure"> & {
  readonly failure: {
    readonly message: string;
    readonly input: Uint8Array;
    /** The smallest input found that fails in the same way. */
    readonly smallest: Uint8Array;
  } | null;
};

const memoryMbMax = 1024;
const child = "scripts/qa/fuzz/child.ts";

/** Runs one campaign. @throws Error when the target itself cannot be loaded */
export async function runCampaign(campaign: Campaign): Promise<CampaignResult> {
  const [program = "", module = ""] = compileModules([child, campaign.module]);
  const folder = mkdtempSync(join(tmpdir(), "hearth-fuzz-"));
  try {
    const task = createTask(campaign, module, folder);
    const answer = await runChild(program, task, campaign.hangSeconds ?? 60);
    if (typeof answer !== "string") return withBytes(answer);
    const last = readNotes(join(folder, "current"));
    if (last === null) throw new Error(`${campaign.module}: ${answer} before the first input`);
    const failure = { message: answer, input: last.input, smallest: last.input };
    const counts = { inputs: last.nth, reached: 0, blocks: 0, kept: 0, seconds: 0 };
    return { guarantee: "each input ends, and leaves the process alive", ...counts, failure };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function createTask(campaign: Campaign, module: string, folder: string): ChildTask {
  const { seed, inputs, seconds, input, isGuided = true } = campaign;
  return {
    module,
    corpora: join(root, "test", "fuzz", "corpus"),
    folder,
    seed,
    isGuided,
    inputs,
    seconds,
    input: input === undefined ? null : Buffer.from(input).toString("base64"),
  };
}

/** Returns the result, or how the process ended without one. */
function runChild(program: string, task: ChildTask, hangSeconds: number): Promise<ChildResult | string> {
  return new Promise((resolve, reject) => {
    const options = { execArgv: [`--max-old-space-size=${memoryMbMax}`], cwd: task.folder };
    const started = fork(program, { ...options, stdio: ["ignore", "inherit", "pipe", "ipc"] });
    let errors = "";
    let result: ChildResult | null = null;
    let isHung = false;
    const watch = watchProgress(join(task.folder, "current"), hangSeconds, () => {
      isHung = true;
      started.kill("SIGKILL");
    });
    started.stderr?.on("data", (text: Buffer) => (errors = (errors + text.toString()).slice(-4000)));
    started.on("message", (message) => (result = message as ChildResult));
    started.on("error", reject);
    started.on("close", (code, signal) => {
      clearInterval(watch);
      if (result !== null) resolve(result);
      else if (isHung) resolve(`the input did not end within ${hangSeconds} s`);
      else resolve(`the process ended with ${signal ?? `code ${code}`}\n${errors}`);
    });
    started.send(task);
  });
}

/** Calls back when the same input runs for too long. */
function watchProgress(notes: string, hangSeconds: number, onHang: () => void): NodeJS.Timeout {
  let last = -1;
  let since = performance.now();
  return setInterval(() => {
    const nth = readNth(notes);
    if (nth !== last) since = performance.now();
    last = nth;
    if (nth > 0 && performance.now() - since > hangSeconds * 1000) onHang();
  }, 1000);
}

function readNth(notes: string): number {
  try {
    return readNotes(notes)?.nth ?? 0;
  } catch {
    return 0;
  }
}

function withBytes(result: ChildResult): CampaignResult {
  const { failure } = result;
  if (failure === null) return { ...result, failure };
  const bytes = (text: string): Uint8Array => Buffer.from(text, "base64");
  const { message, input, smallest } = failure;
  return { ...result, failure: { message, input: bytes(input), smallest: bytes(smallest) } };
}

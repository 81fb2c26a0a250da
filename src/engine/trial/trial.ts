/**
 * Tries a model in a child process before the server loads it: a file can pass every check of its structure and still crash the process
 * that uses it. Owns the child process, its time limit, and the list of what has passed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { setPriority } from "node:os";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { readFile, stat, writeFile } from "node:fs/promises";
import { replaceFile } from "../../system/replace-file.js";

/** Time limit of a trial: to start the process, and to read the weights from a slow disk. */
const startMsMax = 120_000;
const bytesPerSecondMin = 25_000_000;
/** How long output is read after the process exits: a process that it started may keep the pipe open. */
const outputMsMax = 2000;
/** A quarter of a core where answers use all of them. */
const trialPriority = 5;
const outputLengthMax = 4096;
const reasonLengthMax = 300;

export interface TrialDeps {
  /** Compiled entry of the child process. It exits with 0 if the model can be used; otherwise it prints the reason in its last line. */
  readonly entry: URL;
  /** File that lists the digests of models that passed; its folder exists. */
  readonly passedFile: string;
  /** Receives what native code wrote before it crashed. */
  readonly log: (message: string) => void;
  /** Whether this process stays alive until a trial has ended; absent: it may exit, which ends the trial. */
  readonly isAwaited?: boolean;
  /** Returns the time limit for a model of that size. */
  readonly limitMs?: (bytes: number) => number;
}

interface Trial {
  /** Digest of everything that the result depends on; null when the files cannot be read. */
  readonly digest: string | null;
  /** The message that the child process receives. */
  readonly task: object;
  readonly file: string;
  /** Size of all files. */
  readonly bytes: number;
}

/**
 * Creates the function that tries a model, once at a time, and skips what passed before, also after a restart. Failures are not stored.
 * @returns a function that returns null when the model can be used, else one public sentence. It never rejects.
 */
export function createTrials(deps: TrialDeps): (trial: Trial) => Promise<string | null> {
  const passed = new PassedDigests(deps.passedFile);
  const running = new Map<string, Promise<string | null>>();
  const attempt = async (trial: Trial, digest: string): Promise<string | null> => {
    if (await passed.has(digest)) return null;
    const reason = await runTrial(deps, trial).catch(notStarted);
    if (reason === null)
      await passed
        .add(digest)
        .catch((thrown: unknown) => deps.log(`the passed model cannot be recorded: ${String(thrown)}`));
    return reason;
  };
  return async (trial) => {
    const { digest } = trial;
    if (digest === null) return "its file cannot be read.";
    const current = running.get(digest) ?? attempt(trial, digest).finally(() => running.delete(digest));
    running.set(digest, current);
    return current;
  };
}

/** Returns the time limit of a trial in milliseconds, which grows with the weights. */
export function trialLimitMs(bytes: number): number {
  return startMsMax + (bytes / bytesPerSecondMin) * 1000;
}

async function runTrial(deps: TrialDeps, { task, file, bytes }: Trial): Promise<string | null> {
  const child = spawn(process.execPath, [fileURLToPath(deps.entry)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  if (deps.isAwaited !== true) detach(child);
  yieldToAnswers(child);
  const [output, errorOutput] = [keepTail(child.stdout), keepTail(child.stderr)];
  child.send(task, () => undefined);
  const reason = await exitReason(child, (deps.limitMs ?? trialLimitMs)(bytes), output);
  if (reason !== null) deps.log(`${file} was tried in a child process: ${reason} ${errorOutput()}`.trim());
  return reason;
}

/** Lowers the priority of a trial: answers of other models use the same cores. */
function yieldToAnswers({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, trialPriority);
  } catch {
    // It has ended already, or a sandbox forbids it.
  }
}

function notStarted(thrown: unknown): string {
  return `no process could be started to try it (${thrown instanceof Error ? thrown.message : String(thrown)}).`;
}

/** Returns why a trial failed; null when the model passed. */
function exitReason(child: ChildProcess, limitMs: number, output: () => string): Promise<string | null> {
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitMs).unref();
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      // Also emitted when a message cannot be sent; the process exits afterwards.
      if (child.pid === undefined) reject(error);
    });
    child.once("exit", () => {
      clearTimeout(late);
      setTimeout(
        () => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()),
        outputMsMax,
      ).unref();
    });
    child.once("close", (code, signal) => {
      if (isLate) resolve(`loading it takes more than ${Math.round(limitMs / 1000)} s.`);
      else if (signal !== null) resolve(`loading it ends the process (${signal}).`);
      else if (code === 0) resolve(null);
      else resolve(lastLine(output()) ?? `loading it ends the process (exit code ${code}).`);
    });
  });
}

/** Lets the server exit without waiting for the trial, which then ends too. */
function detach(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
}

function keepTail(stream: Readable | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (more: string) => (text = (text + more).slice(-outputLengthMax)));
  return () => text.trim();
}

/** Returns the last line that a trial printed, as a sentence; null when it printed nothing. */
function lastLine(output: string): string | null {
  const line =
    output
      .split("\n")
      .at(-1)
      ?.replace(/\p{Cc}+/gu, " ")
      .trim() ?? "";
  return line === "" ? null : `${line.slice(0, reasonLengthMax).replace(/\.$/, "")}.`;
}

const passedMax = 1000;
const passedFileBytesMax = 1_000_000;

/** Digests of the models that passed, newest last, in memory and in a file. A file that cannot be read counts as empty. */
class PassedDigests {
  private digests: Promise<Set<string>> | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly file: string) {}

  async has(digest: string): Promise<boolean> {
    this.digests ??= this.read();
    return (await this.digests).has(digest);
  }

  async add(digest: string): Promise<void> {
    const digests = await (this.digests ??= this.read());
    digests.add(digest);
    for (const oldest of digests) {
      if (digests.size <= passedMax) break;
      digests.delete(oldest);
    }
    const write = (): Promise<void> => this.write([...digests]);
    this.writing = this.writing.then(write, write);
    await this.writing;
  }

  private async read(): Promise<Set<string>> {
    try {
      if ((await stat(this.file)).size > passedFileBytesMax) return new Set();
      const content: unknown = JSON.parse(await readFile(this.file, "utf8"));
      return new Set(Array.isArray(content) ? content.filter((entry) => typeof entry === "string") : []);
    } catch {
      return new Set();
    }
  }

  private async write(digests: readonly string[]): Promise<void> {
    const next = `${this.file}.next`;
    await writeFile(next, `${JSON.stringify(digests, null, 1)}\n`, { mode: 0o600 });
    await replaceFile(next, this.file);
  }
}

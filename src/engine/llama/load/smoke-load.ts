/**
 * Tries a model whose weights nobody has vouched for in a process of its own (smoke.ts), before the server itself loads it: a
 * file can pass every check of its header and still end the process that computes with it. It owns the child process, its time
 * limit, and the memory of which files have passed; it does not look into the file.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Model } from "../../../core/model.js";
import type { LlamaSettings } from "../protocol.js";

/** Time to load: for starting at all, and for reading the weights from a slow disk. */
const startMsMax = 60_000;
const bytesPerSecondLeast = 25_000_000;
/** How long output may follow the end of the process: what it left behind may hold the pipe. */
const outputMsMax = 2000;
const outputLengthMax = 4096;
const reasonLengthMax = 300;
const passedMax = 1000;
const passedFileBytesMax = 1_000_000;

export interface SmokeLoadDeps {
  /** Compiled smoke.js. */
  readonly entry: URL;
  readonly settings: LlamaSettings;
  /** Where the files that passed are remembered, by digest; its folder exists. */
  readonly passedFile: string;
  /** For what native code said before it died. */
  readonly log: (message: string) => void;
  /** How long a model of that size may take. */
  readonly limitMs?: (bytes: number) => number;
}

/** What the process that tries a model is given. */
export interface SmokeTask {
  readonly model: Model;
  readonly settings: LlamaSettings;
}

/**
 * Makes the trial. A model whose manifest has a SHA-256 needs none; one that passed is not tried again, also after a restart,
 * until its file, the library or the settings change. Failures are not remembered.
 * @returns what tries a model: null when it can be used, else one public sentence. Never rejects.
 */
export function createSmokeLoad(deps: SmokeLoadDeps): (model: Model) => Promise<string | null> {
  const passed = new Passed(deps.passedFile);
  return async (model) => {
    if (model.manifest.sha256 !== null) return null;
    const digest = await digestOf(model, deps.settings);
    if (digest === null) return "its file cannot be read.";
    if (await passed.has(digest)) return null;
    const reason = await attempt(deps, { model, settings: deps.settings }).catch(notStarted);
    if (reason === null)
      await passed.add(digest).catch((thrown: unknown) => deps.log(`cannot remember: ${String(thrown)}`));
    return reason;
  };
}

/** The time limit of a trial: more for larger weights. */
export function trialLimitMs(bytes: number): number {
  return startMsMax + (bytes / bytesPerSecondLeast) * 1000;
}

/** What must be the same for a trial to be worth anything still. */
async function digestOf(model: Model, settings: LlamaSettings): Promise<string | null> {
  const stats = await stat(model.path).catch(() => null);
  if (stats === null) return null;
  const identity = [model.path, model.manifest.bytes, stats.size, stats.mtimeMs, libraryVersion(), settings];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

/** The library is not imported for it: that would load native code into this process. */
function libraryVersion(): string {
  const entry = createRequire(import.meta.url).resolve("node-llama-cpp");
  const text = readFileSync(new URL("../package.json", pathToFileURL(entry)), "utf8");
  return String((JSON.parse(text) as { version?: unknown }).version);
}

async function attempt(deps: SmokeLoadDeps, task: SmokeTask): Promise<string | null> {
  const { file, bytes } = task.model.manifest;
  const child = spawn(process.execPath, [fileURLToPath(deps.entry)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  detach(child);
  const [said, complained] = [tailOf(child.stdout), tailOf(child.stderr)];
  child.send(task, () => undefined);
  const reason = await endOf(child, (deps.limitMs ?? trialLimitMs)(bytes), said);
  if (reason !== null)
    deps.log(`${file} was tried in a process of its own: ${reason} ${complained()}`.trim());
  return reason;
}

function notStarted(thrown: unknown): string {
  return `no process could be started to try it (${thrown instanceof Error ? thrown.message : String(thrown)}).`;
}

/** Why a trial went wrong; null when it went well. */
function endOf(child: ChildProcess, limitMs: number, said: () => string): Promise<string | null> {
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitMs).unref();
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      // Also told when a message cannot be sent: then the end of the process follows.
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
      else resolve(clause(said()) ?? `loading it ends the process (exit code ${code}).`);
    });
  });
}

/** A server that is told to stop does not wait for a trial, which ends with it. */
function detach(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
}

function tailOf(stream: Readable | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (more: string) => (text = (text + more).slice(-outputLengthMax)));
  return () => text.trim();
}

/** The last line that a trial printed, as a sentence; null when it printed nothing. */
function clause(said: string): string | null {
  const line =
    said
      .split("\n")
      .at(-1)
      ?.replace(/\p{Cc}+/gu, " ")
      .trim() ?? "";
  return line === "" ? null : `${line.slice(0, reasonLengthMax).replace(/\.$/, "")}.`;
}

/** Digests of what passed, the newest last, in memory and in a file. One that cannot be read is as good as empty. */
class Passed {
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
    await rename(next, this.file);
  }
}

/** `hearth pull <what>`: downloads a model into the folder of models. No server needs to run. */
import type { Command } from "commander";
import { HearthError } from "../../core/errors.js";
import { sizeText } from "../../core/report/size-text.js";
import type { SizeReport } from "../../doctor/model-fit.js";
import type { PullProgress } from "../../models/hub/progress.js";
import type { Puller, PullResult } from "../../models/hub/puller.js";
import type { UsingOperator } from "../command-helpers.js";
import { createProgressWriter, type ProgressStep } from "../progress.js";
import type { TextOut } from "../terminal.js";

interface PullIo {
  readonly openPuller: () => Promise<Puller>;
  readonly out: TextOut;
  readonly err: { write(text: string): unknown };
  readonly using: UsingOperator;
  /** Judges whether models of a size fit into memory. */
  readonly reportFit: (bytes: number) => Promise<SizeReport>;
  /** Runs an action at the first Ctrl-C. @returns a function that undoes this. */
  readonly onInterrupt: (action: () => void) => () => void;
}

const keepAliveMs = 60_000;

/** Adds the command; its exit code is 2 for a name that cannot be pulled, and 1 for every other failure. */
export function addPullCommand(program: Command, io: PullIo): void {
  program
    .command("pull")
    .description("download a model into the models folder")
    .argument("<what>", "org/repo[:quant], org/repo/file.gguf, an https URL, or a name such as qwen3:4b")
    .option("--json", "print progress as lines of JSON")
    .option("-q, --quiet", "print nothing but warnings and errors")
    .action(async (what: string, { json, quiet = false }: PullOptions, command: Command) => {
      const display = json === true ? jsonDisplay(io) : textDisplay(io, quiet);
      const stop = new AbortController();
      const ignoreInterrupt = io.onInterrupt(() => stop.abort());
      const warn = warnOnce(io, display);
      // The timers of a retry do not keep the process alive.
      let latest: PullProgress | null = null;
      const keepAlive = setInterval(() => undefined, keepAliveMs);
      try {
        const puller = await io.openPuller();
        const result = await puller.pull(what, {
          signal: stop.signal,
          onProgress(progress) {
            latest = progress;
            warn.check(progress);
            display.progress(progress);
          },
        });
        const id = result.kind === "projector" ? null : result.id;
        await io.using((api) => api.request("POST", "/operator/pulled-models", { what, id }));
        await warn.checked();
        display.finish(result);
        if (result.problem !== null)
          throw new Error(
            `the model was downloaded, but the engine cannot load it: ${result.problem}. ` +
              `Its file is kept: \`hearth rm ${result.id}\` removes it.`,
          );
      } catch (thrown) {
        display.leave();
        if (thrown instanceof HearthError && thrown.kind === "invalid_value")
          command.error(`hearth: ${thrown.message}`, { exitCode: 2 });
        throw explainPullFailure(thrown, { what, progress: latest, isStopped: stop.signal.aborted });
      } finally {
        clearInterval(keepAlive);
        ignoreInterrupt();
      }
    });
}

interface PullOptions {
  readonly json?: true;
  readonly quiet?: boolean;
}

interface Display {
  readonly progress: (progress: PullProgress) => void;
  readonly finish: (result: PullResult) => void;
  /** Ends a line that is being rewritten. */
  readonly leave: () => void;
}

/** Warns about a model that does not fit into memory, as soon as its size is known. */
function warnOnce({ err, reportFit }: PullIo, display: Display) {
  let checked: Promise<void> | null = null;
  const check = async (bytes: number): Promise<void> => {
    const { verdict, neededBytes, memory } = await reportFit(bytes);
    if (verdict === "fits") return;
    display.leave();
    err.write(
      `hearth: warning: the model needs about ${sizeText(neededBytes)} of memory, and models may take ` +
        `${sizeText(memory.limitBytes)} here (memoryBytesMax); a smaller quantization may fit\n`,
    );
  };
  return {
    check({ bytesTotal }: PullProgress): void {
      // A warning that cannot be given stops no download.
      if (bytesTotal > 0) checked ??= check(bytesTotal).catch(() => undefined);
    },
    checked: () => checked,
  };
}

/** A bar on a terminal; elsewhere a line for each file and phase, and for each tenth of the bytes. */
function textDisplay({ out }: PullIo, isQuiet: boolean): Display {
  const isTerminal = out.isTTY === true;
  const writer = createProgressWriter(out, { isQuiet, clock: null });
  return {
    progress(progress) {
      if (progress.phase !== "done" || isTerminal) writer.show(toProgressStep(progress, isTerminal));
      if (progress.phase === "done") writer.leave();
    },
    finish: (result) => (isQuiet ? undefined : void out.write(describeEnd(result))),
    leave: writer.leave,
  };
}

function jsonDisplay({ out }: PullIo): Display {
  let done: PullProgress | null = null;
  return {
    progress(progress) {
      if (progress.phase === "done") done = progress;
      else out.write(`${JSON.stringify(progress)}\n`);
    },
    finish: (result) => out.write(`${JSON.stringify({ ...done, ...result })}\n`),
    leave: () => undefined,
  };
}

function describeEnd({ id, kind, bytes, license, problem }: PullResult): string {
  const about = `${sizeText(bytes)}, ${license === null ? "licence unknown" : `licence ${license}`}`;
  const use = kind === "chat" && problem === null ? `; chat with it: hearth run ${id}` : "";
  return `pulled ${id} (${kind}, ${about})${use}\n`;
}

/** Returns the progress of a pull as a step. @param isShort whether files are named without their folders and the usual phase */
function toProgressStep(progress: PullProgress, isShort: boolean): ProgressStep {
  const { phase, bytesDone, bytesTotal, bytesPerSecond } = progress;
  if (phase === "resolving") return { phase: "finding the files", done: 0, total: 0, unit: "bytes" };
  return {
    phase: isShort ? namePhase(progress) : `${phase} ${progress.file}`,
    done: bytesDone,
    total: bytesTotal,
    unit: "bytes",
    bytesPerSecond: phase === "downloading" ? bytesPerSecond : 0,
  };
}

function namePhase({ phase, file, filesDone, filesTotal }: PullProgress): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const which = filesTotal > 1 && phase !== "done" ? ` (${filesDone + 1}/${filesTotal})` : "";
  return `${phase === "verifying" ? "verifying " : ""}${name}${which}`;
}

// What a pull that did not end says: why, what was kept, and the command that goes on.

interface EndedPull {
  /** What was to be pulled. */
  readonly what: string;
  /** The newest; null: nothing was found yet. */
  readonly progress: PullProgress | null;
  /** Whether Ctrl-C ended it. */
  readonly isStopped: boolean;
}

/** Codes of errors whose message says what was kept, or after which nothing is. */
const complete = new Set(["disk_full", "wrong_size", "wrong_hash", "not_gguf", "exists"]);

/** Returns the error to show instead of one that ended a pull. */
export function explainPullFailure(thrown: unknown, { what, progress, isStopped }: EndedPull): unknown {
  const kept = progress?.phase === "downloading" ? progress.bytesDone : 0;
  const rest = `\`hearth pull ${what}\` goes on from there`;
  if (isStopped) {
    const text =
      kept === 0
        ? `stopped before anything was downloaded; \`hearth pull ${what}\` starts again`
        : `stopped; ${sizeText(kept)} of ${sizeText(progress?.bytesTotal ?? kept)} are kept, and ${rest}`;
    return new Error(text, { cause: thrown });
  }
  if (kept === 0 || !(thrown instanceof HearthError) || complete.has(thrown.code ?? "")) return thrown;
  return new Error(`${thrown.message} ${sizeText(kept)} are kept, and ${rest}.`, { cause: thrown });
}

/**
 * The progress of whatever takes long. On a terminal it is one line that is rewritten. Elsewhere it is a line for each phase, and for each
 * tenth of one, once the command has taken two seconds.
 */
import type { Clock } from "../core/clock.js";
import type { Progress } from "../core/report/progress.js";
import { sizeText } from "../core/report/size-text.js";
import { rewriteLine, type TextOut } from "./terminal.js";

const barCharsMax = 30;
const barCharsMin = 8;
/** A command that is done in this time says nothing but its result where there is no terminal. */
const silentMsMax = 2000;

/** A step of a command. */
export interface ProgressStep extends Progress {
  /** Over the last seconds; left out or 0: not known. */
  readonly bytesPerSecond?: number;
}

export interface ProgressWriter {
  readonly show: (step: ProgressStep) => void;
  /** Ends the line that is rewritten, which stays. */
  readonly leave: () => void;
  /** Removes the line that is rewritten. */
  readonly clear: () => void;
}

interface WriterOptions {
  readonly isQuiet: boolean;
  /** The time that the command has taken; null: lines are written from the beginning. */
  readonly clock: Clock | null;
}

export function createProgressWriter(out: TextOut, { isQuiet, clock }: WriterOptions): ProgressWriter {
  if (isQuiet) return { show: () => undefined, leave: () => undefined, clear: () => undefined };
  return out.isTTY === true ? barWriter(out) : lineWriter(out, clock);
}

function barWriter(out: TextOut): ProgressWriter {
  let last = "";
  const end = (write: () => void): void => {
    if (last !== "") write();
    last = "";
  };
  return {
    show(step) {
      const line = formatBar(step, out.columns ?? 80);
      if (line !== last) rewriteLine(out, line);
      last = line;
    },
    leave: () => end(() => void out.write("\n")),
    clear: () => end(() => rewriteLine(out, "")),
  };
}

function lineWriter(out: TextOut, clock: WriterOptions["clock"]): ProgressWriter {
  const begin = clock?.monotonic() ?? 0;
  let last = "";
  return {
    show(step) {
      const tenth = `${step.phase} ${Math.floor(10 * computeShare(step))}`;
      if (tenth === last || (clock !== null && clock.monotonic() - begin < silentMsMax)) return;
      last = tenth;
      out.write(`${[step.phase, ...formatNumbers(step)].join("  ")}\n`);
    },
    leave: () => undefined,
    clear: () => undefined,
  };
}

/** Returns a line with a bar, cut to the columns of the terminal. */
function formatBar(step: ProgressStep, columns: number): string {
  const [first, ...others] = formatNumbers(step);
  if (step.total === 0 || first === undefined)
    return [step.phase, first ?? []]
      .flat()
      .join("  ")
      .slice(0, columns - 1);
  const numbers = [first.padStart(5), ...others].join("  ");
  const chars = Math.min(barCharsMax, columns - numbers.length - step.phase.length - 7);
  if (chars < barCharsMin) return `${step.phase}  ${numbers}`.slice(0, Math.max(0, columns - 1));
  const full = Math.round(computeShare(step) * chars);
  return `${step.phase}  [${"#".repeat(full)}${"-".repeat(chars - full)}]  ${numbers}`;
}

/** Returns the share and the amounts; while the total is not known, at most the bytes so far. */
function formatNumbers(step: ProgressStep): readonly string[] {
  const { done, total, unit } = step;
  if (total === 0) return unit === "bytes" && done > 0 ? [sizeText(done)] : [];
  const amount = unit === "bytes" ? `${sizeText(done)} of ${sizeText(total)}` : `${done} of ${total} ${unit}`;
  return [`${Math.floor(computeShare(step) * 100)} %`, amount, ...formatRate(step)];
}

function computeShare({ done, total }: ProgressStep): number {
  return total === 0 ? 0 : Math.min(1, done / total);
}

/** Returns the rate and the time left; nothing until there is a rate. */
function formatRate({ done, total, bytesPerSecond = 0 }: ProgressStep): readonly string[] {
  if (bytesPerSecond === 0) return [];
  const seconds = Math.ceil((total - done) / bytesPerSecond);
  return [`${sizeText(bytesPerSecond)}/s`, `${formatTime(seconds)} left`];
}

function formatTime(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (count: number): string => String(count).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export interface LongCommandIo {
  readonly err: TextOut;
  readonly clock: Clock;
  /** Runs an action at the first Ctrl-C. @returns a function that undoes this. */
  readonly onInterrupt: (action: () => void) => () => void;
}

/**
 * Runs an action that reports its progress, and shows it. The first Ctrl-C ends the action at its next report, so that it can undo what it
 * has begun; a second one ends the process.
 * @param stopped what the error says then
 */
export async function withProgress<Result>(
  { err, clock, onInterrupt }: LongCommandIo,
  { isQuiet = false, stopped }: { readonly isQuiet?: boolean; readonly stopped: string },
  action: (onProgress: (step: ProgressStep) => void) => Promise<Result>,
): Promise<Result> {
  const writer = createProgressWriter(err, { isQuiet, clock });
  let isStopped = false;
  const ignoreInterrupt = onInterrupt(() => (isStopped = true));
  try {
    return await action((step) => {
      if (isStopped) throw new Error(stopped);
      writer.show(step);
    });
  } catch (thrown) {
    // What has ended may say where it was.
    throw isStopped ? new Error(stopped, { cause: thrown }) : thrown;
  } finally {
    writer.clear();
    ignoreInterrupt();
  }
}

import type { PullProgress } from "../../models/hub/progress.js";
import type { ProgressStep } from "../progress.js";

/** Returns the progress of a pull as a step. @param isShort whether files are named without their folders and the usual phase */
export function toProgressStep(progress: PullProgress, isShort: boolean): ProgressStep {
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

/** What a pull that did not end says: why, what was kept, and the command that goes on. */
import { HearthError } from "../../core/errors.js";
import { sizeText } from "../../core/report/size-text.js";
import type { PullProgress } from "../../models/hub/progress.js";

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

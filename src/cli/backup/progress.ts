import type { BackupProgress } from "../../app/app.js";
import { exactSizeText } from "../../core/report/size-text.js";

export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProgressLine {
  readonly show: (progress: BackupProgress) => void;
  /** Removes the line. */
  readonly clear: () => void;
}

const barChars = 30;

/** Returns a line that is rewritten on a terminal; elsewhere nothing is written. */
export function progressLine(out: ProgressOutput): ProgressLine {
  if (out.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  let last = "";
  return {
    show(progress) {
      const line = lineOf(progress).slice(0, (out.columns ?? 80) - 1);
      if (line !== last) out.write(`\r\u001b[K${line}`);
      last = line;
    },
    clear: () => void out.write("\r\u001b[K"),
  };
}

function lineOf({ phase, bytesDone, bytesTotal }: BackupProgress): string {
  const share = bytesTotal === 0 ? 0 : Math.min(1, bytesDone / bytesTotal);
  const full = Math.round(share * barChars);
  const bar = `${"#".repeat(full)}${"-".repeat(barChars - full)}`;
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${phase}  [${bar}]  ${percent} %  ${exactSizeText(bytesDone)} of ${exactSizeText(bytesTotal)}`;
}

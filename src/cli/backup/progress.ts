import type { OnProgress, Progress } from "../../core/report/progress.js";
import { sizeText } from "../../core/report/size-text.js";
import { rewriteLine, type TextOut } from "../terminal.js";

interface ProgressLine {
  readonly show: OnProgress;
  /** Removes the line. */
  readonly clear: () => void;
}

const barChars = 30;

/** Returns a line that is rewritten on a terminal; elsewhere nothing is written. */
export function progressLine(out: TextOut): ProgressLine {
  if (out.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  let last = "";
  return {
    show(progress) {
      const line = formatLine(progress).slice(0, (out.columns ?? 80) - 1);
      if (line !== last) rewriteLine(out, line);
      last = line;
    },
    clear: () => rewriteLine(out, ""),
  };
}

function formatLine({ phase, done, total, unit }: Progress): string {
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const full = Math.round(share * barChars);
  const bar = `${"#".repeat(full)}${"-".repeat(barChars - full)}`;
  const percent = String(Math.floor(share * 100)).padStart(3);
  const amount = unit === "bytes" ? `${sizeText(done)} of ${sizeText(total)}` : `${done} of ${total} ${unit}`;
  return `${phase}  [${bar}]  ${percent} %  ${amount}`;
}

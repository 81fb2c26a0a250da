/** The progress of a pull as text. */
import type { PullProgress } from "../../models/hub/progress.js";
import { sizeText } from "../../core/report/size-text.js";

const barCharsMax = 30;
const barCharsMin = 8;

/** Returns a line with a bar, cut to the columns of the terminal. */
export function formatProgressBar(progress: PullProgress, columns: number): string {
  if (progress.phase === "resolving") return "finding the files";
  const name = namePhase(progress);
  const share = computeShare(progress);
  const numbers = [
    `${Math.floor(share * 100)
      .toString()
      .padStart(3)} %`,
    `${sizeText(progress.bytesDone)} of ${sizeText(progress.bytesTotal)}`,
    ...rateTexts(progress),
  ].join("  ");
  const room = columns - numbers.length - name.length - 6;
  const chars = Math.min(barCharsMax, room);
  if (chars < barCharsMin) return `${name}  ${numbers}`.slice(0, Math.max(0, columns - 1));
  const full = Math.round(share * chars);
  return `${name}  [${"#".repeat(full)}${"-".repeat(chars - full)}]  ${numbers}`;
}

/** Returns a line for a place that is no terminal. */
export function formatProgressLine(progress: PullProgress): string {
  if (progress.phase === "resolving") return "finding the files";
  if (progress.phase === "verifying") return `verifying ${progress.file}`;
  const { phase, bytesDone, bytesTotal } = progress;
  const share = `${Math.floor(computeShare(progress) * 100)} %`;
  const sizes = `${sizeText(bytesDone)} of ${sizeText(bytesTotal)}`;
  return [`${phase} ${progress.file}`, share, sizes, ...rateTexts(progress)].join("  ");
}

function namePhase({ phase, file, filesDone, filesTotal }: PullProgress): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const which = filesTotal > 1 && phase !== "done" ? ` (${filesDone + 1}/${filesTotal})` : "";
  return `${phase === "verifying" ? "verifying " : ""}${name}${which}`;
}

function computeShare({ bytesDone, bytesTotal }: PullProgress): number {
  return bytesTotal === 0 ? 0 : Math.min(1, bytesDone / bytesTotal);
}

/** Returns the rate and the time left; nothing until there is a rate. */
function rateTexts({ phase, bytesDone, bytesTotal, bytesPerSecond }: PullProgress): readonly string[] {
  if (phase !== "downloading" || bytesPerSecond === 0) return [];
  const seconds = Math.ceil((bytesTotal - bytesDone) / bytesPerSecond);
  return [`${sizeText(bytesPerSecond)}/s`, `${timeText(seconds)} left`];
}

function timeText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (count: number): string => String(count).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats an elapsed time as `2 hours ago`, in the largest unit that fits; `just now` below a second. */
export function ago(elapsedMs: number): string {
  const text = span(elapsedMs);
  return text === null ? "just now" : `${text} ago`;
}

/** Formats a remaining time as `in 4 minutes`; `now` below a second. */
export function ahead(leftMs: number): string {
  const text = span(leftMs);
  return text === null ? "now" : `in ${text}`;
}

function span(ms: number): string | null {
  const seconds = ms / 1000;
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? ["second", 1];
  const count = Math.floor(seconds / size);
  return count < 1 ? null : `${count} ${unit}${count === 1 ? "" : "s"}`;
}

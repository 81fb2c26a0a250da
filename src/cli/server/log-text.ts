/** A line of the log as people read it. */

const levels: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** What every line has, or what stands elsewhere in the text. */
const common = new Set(["level", "time", "pid", "hostname", "msg"]);

/** Returns a line of JSON as text: its time in UTC, level, message and fields; a line that is no JSON stays as it is. */
export function formatLogLine(line: string): string {
  const entry = parse(line);
  if (entry === null) return line;
  const { level, time, msg } = entry;
  const when = typeof time === "number" ? `${new Date(time).toISOString().slice(0, 19)}Z` : "";
  const fields = Object.entries(entry)
    .filter(([name, value]) => !common.has(name) && value !== null)
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  return [when, (levels[Number(level)] ?? "").padEnd(5), typeof msg === "string" ? msg : "", ...fields]
    .filter((part) => part !== "")
    .join(" ");
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** An error is shown by its message; `--json` has its stack. */
function formatValue(value: unknown): string {
  if (typeof value === "object" && value !== null && "message" in value) return JSON.stringify(value.message);
  return typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);
}

/** Replacement in texts, whose result is checked before it is made. */
import type { Meter } from "../meter.js";
import { splitCharacters } from "../values/values.js";
import { occurrences } from "./split.js";

/** @param max replacements at most; all if it is negative @throws BudgetExceeded */
export function replaceText(
  meter: Meter,
  text: string,
  { from, to, max }: { readonly from: string; readonly to: string; readonly max: number },
): string {
  meter.countReading(text);
  const pieces = from === "" ? splitCharacters(text) : [];
  const found = from === "" ? pieces.length + 1 : occurrences(text, from);
  const count = max < 0 ? found : Math.min(max, found);
  meter.countSteps(count);
  meter.checkText(text.length + count * (to.length - from.length));
  if (count === 0) return text;
  if (from === "")
    return (
      pieces.map((piece, at) => (at < count ? to + piece : piece)).join("") + (count === found ? to : "")
    );
  if (count === found) return text.replaceAll(from, to.replaceAll("$", "$$$$"));
  const parts = text.split(from);
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from);
}

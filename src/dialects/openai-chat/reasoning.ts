/**
 * Joins reasoning deltas so that two adjacent deltas are never equal: a common client treats the second of two equal deltas as
 * a duplicate and drops it. A delta that equals the previous one is held back and joined with the next. A short run of one
 * character is held back, too, because at the end it could not be split into two different deltas.
 */

export function createReasoningJoiner() {
  let sent = "";
  let held = "";
  return {
    /** Adds reasoning text. @returns the deltas to send now. */
    add(text: string): readonly string[] {
      held += text;
      if (held === "" || held === sent || isShortRun(held)) return [];
      sent = held;
      held = "";
      return [sent];
    },
    /** Called when the reasoning ends or is interrupted. @returns the remaining deltas to send. */
    flush(): readonly string[] {
      const rest = held === "" ? [] : held === sent ? split(held) : [held];
      sent = "";
      held = "";
      return rest;
    },
  };
}

function isShortRun(text: string): boolean {
  const [first, second, ...more] = text.slice(0, 5);
  return more.length === 0 && (second === undefined || second === first);
}

/** Splits a text into two different deltas. Never called with a short run, because a short run is never sent before the end. */
function split(text: string): readonly string[] {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return [first, text.slice(first.length)];
}

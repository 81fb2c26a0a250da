/**
 * Reasoning deltas without identical neighbours: one widespread client takes the second of two equal deltas for a repetition
 * and drops it. A delta that would repeat the one before it waits and is joined with what follows; so does a short run of one
 * character, because two of those left over at the end could not be told apart in any way.
 */

export interface ReasoningJoiner {
  /** Takes a piece of reasoning. @returns the deltas to send now. */
  add(text: string): readonly string[];
  /** The reasoning ends or is interrupted. @returns the deltas still to send. */
  flush(): readonly string[];
}

/** Starts with nothing sent and nothing held. */
export function createReasoningJoiner(): ReasoningJoiner {
  let sent = "";
  let held = "";
  return {
    add(text) {
      held += text;
      if (held === "" || held === sent || isShortRun(held)) return [];
      sent = held;
      held = "";
      return [sent];
    },
    flush() {
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

/** Never called with a short run: what was sent before it was none either. */
function split(text: string): readonly string[] {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return [first, text.slice(first.length)];
}

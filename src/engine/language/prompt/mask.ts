/**
 * Marks the control texts of messages before a template is rendered, so that they differ from the ones that the template writes.
 */
import { TextFinder } from "./special-tokens.js";

/** A part of a rendered prompt. */
export interface Part {
  readonly text: string;
  /** Whether it is a control text of a message; false for text of the template, and for any other text of messages. */
  readonly isMasked: boolean;
}

/** A medium of a rendered prompt: its index in the list of the conversation's media. */
export interface MediumPlace {
  readonly medium: number;
}

export type TextMask = ReturnType<typeof createMask>;

const open = "\uE000";
const close = "\uE001";

/**
 * Creates the mask of some control texts. Placeholders are `U+E000 index U+E001`, and `U+E000 m index U+E001` for a medium; a U+E000 in a
 * message is itself masked, so that placeholders cannot be forged.
 */
export function createMask(controlTexts: readonly string[]) {
  const hidden = ["", open, ...controlTexts];
  const indexes = new Map(hidden.map((text, index) => [text, index]));
  const finder = new TextFinder(hidden);
  const placeholder = (text: string): string => `${open}${String(indexes.get(text) ?? 0)}${close}`;
  const hideText = (text: string): string => {
    let masked = "";
    let end = 0;
    for (const found of finder.separate(text)) {
      masked += text.slice(end, found.start) + placeholder(found.text);
      end = found.start + found.text.length;
    }
    const rest = text.slice(end);
    return masked + rest + (finder.endsInside(rest) ? placeholder("") : "");
  };
  return {
    /** Returns the value with a placeholder for every control text in its strings. */
    hide: <T>(value: T): T => mapStrings(value, hideText) as T,
    /**
     * Splits a rendered prompt at the placeholders, and restores the text of each. A masked part may be empty: the end of a message that
     * the text after it could complete to a control text.
     */
    split: (rendered: string): readonly (Part | MediumPlace)[] =>
      rendered.split(/\uE000(m?\d+)\uE001/).map((text, position): Part | MediumPlace => {
        if (position % 2 === 0) return { text, isMasked: false };
        return text.startsWith("m")
          ? { medium: Number(text.slice(1)) }
          : { text: hidden[Number(text)] ?? "", isMasked: true };
      }),
  };
}

/** Returns the placeholder of a medium, which templates copy like other text of a message. */
export function mediumMark(index: number): string {
  return `${open}m${index}${close}`;
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]),
  );
}

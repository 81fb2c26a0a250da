/**
 * Follows JSON text as it is written, and knows the keys that its open objects have. It does not validate: text before the first
 * bracket is skipped, and a text that is not JSON gives no meaningful result.
 */
export interface ObjectKeys {
  /** Reads on. @returns the first key of these characters that its object already has, as it is written; null if there is none. */
  push(text: string): string | null;
  /** Whether the innermost object has a key that begins with the characters of the key that is being written. */
  readonly mayRepeat: "inside a key" | "at the next key" | null;
  /** Whether a string is being written. */
  readonly isInString: boolean;
  /** Returns a copy that reads on by itself. */
  copy(): ObjectKeys;
}

interface Keys {
  readonly key: string;
  readonly others: Keys | null;
}

interface Frame {
  readonly outer: Frame | null;
  readonly isObject: boolean;
  readonly keys: Keys | null;
}

interface State {
  readonly frame: Frame | null;
  /** Whether a string that begins now is a key. */
  readonly expectsKey: boolean;
  readonly inString: boolean;
  readonly escaped: boolean;
  /** The characters of a key that has not ended; null outside keys. */
  readonly key: string | null;
}

const start: State = { frame: null, expectsKey: false, inString: false, escaped: false, key: null };

/** Begins before the text. */
export function createObjectKeys(): ObjectKeys {
  return new TrackedKeys(start);
}

/** Returns a key that an object of a JSON text has twice, as it is written; null if there is none. */
export function repeatedKey(text: string): string | null {
  return createObjectKeys().push(text);
}

class TrackedKeys implements ObjectKeys {
  #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  push(text: string): string | null {
    let repeated: string | null = null;
    for (const character of text) {
      const { key } = this.#state;
      const ends = key !== null && character === '"' && !this.#state.escaped;
      if (ends && hasKey(this.#state.frame, (each) => each === key)) repeated ??= key;
      this.#state = this.#state.inString ? inString(this.#state, character) : outside(this.#state, character);
    }
    return repeated;
  }

  get mayRepeat(): "inside a key" | "at the next key" | null {
    const { frame, inString: writesString, key } = this.#state;
    if (frame?.isObject !== true || frame.keys === null) return null;
    if (key === null) return writesString ? null : "at the next key";
    return hasKey(frame, (each) => each.startsWith(key)) ? "inside a key" : null;
  }

  get isInString(): boolean {
    return this.#state.inString;
  }

  copy(): ObjectKeys {
    return new TrackedKeys(this.#state);
  }
}

function hasKey(frame: Frame | null, matches: (key: string) => boolean): boolean {
  for (let keys = frame?.keys ?? null; keys !== null; keys = keys.others) if (matches(keys.key)) return true;
  return false;
}

function inString(state: State, character: string): State {
  const { frame, key, escaped } = state;
  if (key === null && !escaped && character !== '"' && character !== "\\") return state;
  if (character !== '"' || escaped)
    return {
      ...state,
      escaped: character === "\\" && !escaped,
      key: key === null ? null : key + character,
    };
  const known = key === null || frame === null ? frame : { ...frame, keys: { key, others: frame.keys } };
  return { frame: known, expectsKey: false, inString: false, escaped: false, key: null };
}

function outside(state: State, character: string): State {
  const { frame } = state;
  switch (character) {
    case '"':
      return frame === null ? state : { ...state, inString: true, key: state.expectsKey ? "" : null };
    case "{":
    case "[":
      return {
        ...state,
        frame: { outer: frame, isObject: character === "{", keys: null },
        expectsKey: character === "{",
      };
    case "}":
    case "]":
      return { ...state, frame: frame?.outer ?? null, expectsKey: false };
    case ",":
      return { ...state, expectsKey: frame?.isObject === true };
    default:
      return state;
  }
}

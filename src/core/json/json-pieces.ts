/**
 * Builds the value of a JSON text from pieces of some ten kilobytes, each of which JSON.parse reads. A scanner reports where arrays
 * and objects open and close, where commas are, and long strings; the result equals the result of JSON.parse for the whole text.
 */
import { HearthError } from "../errors.js";
import { decodePart, decodeString, stepBytes } from "./decode-json.js";

/** An array or object that is open. */
interface Frame {
  readonly isArray: boolean;
  /** The position of its bracket. */
  readonly start: number;
  /** The position of its last comma; -1 when there is none that is not built. */
  comma: number;
  /** What is built of it; null until a piece of it is built apart from what surrounds it. */
  value: unknown[] | Record<string, unknown> | null;
  /** The name of a member whose value follows, when the name is built and the value is not. */
  name: string | null;
  /** Whether the last thing that was built is a value: a comma or the end follows. */
  hasValue: boolean;
}

export class JsonPieces {
  readonly #bytes: Buffer;
  readonly #frames: Frame[] = [];
  /** How many frames have a value. */
  #built = 0;
  /** Where the text begins that is not built. */
  #from: number;
  #root: { readonly value: unknown } | null = null;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
  }

  open(at: number, isArray: boolean): void {
    this.#frames.push({ isArray, start: at, comma: -1, value: null, name: null, hasValue: false });
  }

  comma(at: number): void {
    const top = this.#frames.at(-1);
    if (top === undefined) throw notJson();
    if (top.hasValue) {
      this.#requireBlank(at);
      this.#from = at + 1;
      top.hasValue = false;
      return;
    }
    top.comma = at;
    if (at - this.#from < stepBytes && top.name === null) return;
    this.#buildFrames();
    this.#addList(top, at);
  }

  close(at: number, isArray: boolean): void {
    const frame = this.#frames.pop();
    if (frame?.isArray !== isArray) throw notJson();
    if (frame.value === null) return;
    if (frame.hasValue) this.#requireBlank(at);
    else this.#addList(frame, at);
    this.#built -= 1;
    this.#from = at + 1;
    this.#put(frame.value);
  }

  /** Adds a string. @param start after its opening quote. @param end its closing quote */
  async longString(start: number, end: number): Promise<void> {
    this.#buildFrames();
    const top = this.#frames.at(-1);
    const isName = this.#awaitsName(start - 1);
    if (isName) this.#addListBefore(top);
    else this.#begin(top, start - 1);
    const text = await decoded(() => decodeString(this.#bytes, start, end));
    this.#from = end + 1;
    if (isName && top !== undefined) top.name = text;
    else this.#put(text);
  }

  /** Returns the value of the whole text. */
  end(): unknown {
    const { length } = this.#bytes;
    if (this.#frames.length > 0) throw notJson();
    if (this.#root === null) return parsed(decodePart(this.#bytes, this.#from, length));
    this.#requireBlank(length);
    return this.#root.value;
  }

  /** Whether what begins at a place is the name of a member. */
  #awaitsName(at: number): boolean {
    const top = this.#frames.at(-1);
    if (top === undefined || top.isArray || top.name !== null || top.hasValue) return false;
    const from = Math.max(this.#from, top.comma + 1);
    return isBlank(decodePart(this.#bytes, from, at));
  }

  /** Gives every open frame a value, and adds to it what precedes the frame in it. */
  #buildFrames(): void {
    for (const frame of this.#frames.slice(this.#built)) {
      this.#begin(this.#frames[this.#built - 1], frame.start);
      frame.value = frame.isArray ? [] : {};
      this.#built += 1;
      this.#from = frame.start + 1;
    }
  }

  /** Adds what precedes a value in its frame, the name of its member included. @param frame undefined: it is the whole text */
  #begin(frame: Frame | undefined, at: number): void {
    if (frame === undefined ? this.#root !== null : frame.hasValue) throw notJson();
    this.#addListBefore(frame);
    const lead = decodePart(this.#bytes, this.#from, at);
    if (frame === undefined || frame.isArray) return requireBlank(lead);
    const [, before = "", after] = /^(.*):([ \t\r\n]*)$/s.exec(lead) ?? [];
    if (after === undefined) throw notJson();
    if (frame.name !== null) return requireBlank(before);
    const name = parsed(before);
    if (typeof name !== "string") throw notJson();
    frame.name = name;
  }

  /** Adds the values before the last comma of a frame. */
  #addListBefore(frame: Frame | undefined): void {
    if (frame !== undefined && frame.comma >= this.#from) this.#addList(frame, frame.comma);
  }

  /** Adds values that are separated by commas, at least one. @param end a comma or the bracket at the end */
  #addList(frame: Frame, end: number): void {
    const text = decodePart(this.#bytes, this.#from, end);
    this.#from = end + 1;
    frame.comma = -1;
    const { value, name } = frame;
    if (Array.isArray(value)) {
      const list = parsed(`[${text}]`) as readonly unknown[];
      if (list.length === 0) throw notJson();
      for (const each of list) value.push(each);
    } else if (value !== null) {
      // A name that is built is followed by the value of one member.
      const members = Object.entries(parsed(name === null ? `{${text}}` : `{""${text}}`) as object);
      if (members.length === 0) throw notJson();
      for (const [own, member] of members) define(value, name ?? own, member);
      frame.name = null;
    }
  }

  /** Adds a value to the frame that is open, or makes it the whole. */
  #put(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.#root = { value };
    else {
      if (Array.isArray(frame.value)) frame.value.push(value);
      else if (frame.value !== null) define(frame.value, frame.name ?? "", value);
      frame.name = null;
      frame.hasValue = true;
    }
  }

  #requireBlank(end: number): void {
    requireBlank(decodePart(this.#bytes, this.#from, end));
  }
}

/** Sets a member, also one that is named __proto__. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function requireBlank(text: string): void {
  if (!isBlank(text)) throw notJson();
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

async function decoded(decode: () => Promise<string>): Promise<string> {
  try {
    return await decode();
  } catch (thrown) {
    throw thrown instanceof HearthError ? thrown : notJson();
  }
}

function notJson(): HearthError {
  return new HearthError("malformed", "The request body is not valid JSON.");
}

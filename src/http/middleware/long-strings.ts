/**
 * Long base64 strings of a JSON body, cut out before it is parsed and put back after. An image of ten megabytes is one string, over
 * which JSON.parse holds up everybody for longer than all else that is done with it; here it is checked piece by piece, with others'
 * turns between. What comes out is what JSON.parse would have given.
 */
import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Where the content of a string stands in the body: from the byte after its quote to its closing quote. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is shorter is parsed in no time. */
export const longBytesMin = 256 * 1024;
/** A multiple of four: whole groups of base64. */
const pieceBytes = 1024 * 1024;
/** What is left is walked through for the marks; where it is large itself, nothing is won. */
const restBytesMax = 1024 * 1024;
/** `data:image/png;base64,` with up to some parameters: printable ASCII without quote, backslash and comma. */
const head = /^data:[ !#-+\--[\]-~]{0,200};base64,/i;
const headBytesMax = 256;

const utf8 = new TextDecoder("utf-8", { fatal: true });
const colon = 0x3a;

/** Strings that were cut out, by the marks that stand for them. */
export type Cut = ReadonlyMap<string, string>;

/**
 * The text of a body without its long base64 strings.
 * @param spans strings of at least `longBytesMin` bytes, in order.
 * @throws TypeError when the rest is no UTF-8.
 */
export async function cutLong(
  bytes: Buffer,
  spans: readonly Span[],
): Promise<{ readonly text: string; readonly cut: Cut }> {
  const taken: Span[] = [];
  for (const span of spans) if (!isName(bytes, span) && (await isBase64(bytes, span))) taken.push(span);
  const rest = taken.reduce((size, { start, end }) => size - (end - start), bytes.length);
  if (taken.length === 0 || rest > restBytesMax) return { text: textOf(bytes), cut: new Map() };
  const beside = [{ end: 0 }, ...taken].map(({ end }, index) => bytes.subarray(end, taken[index]?.start));
  // No string of a text is the digest of that text: what is said beside the marks cannot be taken for one.
  const hash = createHash("sha256");
  for (const part of beside) hash.update(part);
  const digest = hash.digest("hex");
  const cut = new Map<string, string>();
  const parts: Buffer[] = [];
  for (const [index, part] of beside.entries()) {
    parts.push(part);
    const span = taken[index];
    if (span === undefined) break;
    const mark = `${digest} ${index}`;
    parts.push(Buffer.from(mark));
    cut.set(mark, bytes.toString("latin1", span.start, span.end));
    await setImmediate();
  }
  return { text: textOf(Buffer.concat(parts)), cut };
}

/** The same value with the strings put back where their marks stand; changes it in place. */
export function putBack(value: unknown, cut: Cut): unknown {
  if (typeof value === "string") return cut.get(value) ?? value;
  if (value === null || typeof value !== "object" || cut.size === 0) return value;
  for (const [name, member] of Object.entries(value)) {
    const whole = putBack(member, cut);
    // Not by assignment: a body may have a member named __proto__.
    if (whole !== member)
      Object.defineProperty(value, name, {
        value: whole,
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }
  return value;
}

/** Large bodies are mostly ASCII, which is read in a fifth of the time. */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : utf8.decode(bytes);
}

/** Whether a colon follows: the string is a member's name. */
function isName(bytes: Buffer, { end }: Span): boolean {
  let at = end + 1;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at += 1;
  return bytes[at] === colon;
}

/** Whether it is base64 throughout, padded or not, after the head of a data URL where it has one: nothing in it is escaped then. */
async function isBase64(bytes: Buffer, { start, end }: Span): Promise<boolean> {
  const first = bytes.toString("latin1", start, Math.min(end, start + headBytesMax));
  const from = start + (head.exec(first)?.[0].length ?? 0);
  const scratch = Buffer.allocUnsafe((pieceBytes / 4) * 3);
  for (let at = from; at < end; at += pieceBytes) {
    const piece = bytes.toString("latin1", at, Math.min(end, at + pieceBytes));
    // Whatever is not of the alphabet is skipped, so that less comes out.
    if (scratch.write(piece, "base64") !== decodedBytes(piece)) return false;
    await setImmediate();
  }
  return true;
}

/** NaN for a length that no base64 has. */
function decodedBytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const length = text.length - padding;
  return length % 4 === 1 ? NaN : Math.floor((length * 3) / 4);
}

/**
 * The tokenize worker thread, which runs tiktoken. Its time grows with the square of the length of a run of letters, so a text with long
 * runs is refused; splitting such a run would be faster but gives other tokens. The owner ends the thread when it takes too long anyway.
 */
import { createRequire } from "node:module";
import { Tiktoken } from "tiktoken/lite";
import { packTokens } from "../packed-tokens.js";
import { hostWorker } from "../../worker/host.js";
import type { TokenizeReplies, TokenizeRequest } from "./protocol.js";

/** The squares of the bytes of all pieces together: about a quarter of a second. */
const workMax = 2.5e8;
/** Shorter runs count as ordinary text, whose time grows with its length. */
const shortRun = 64;
const bytesPerUnitMax = 3;

/**
 * The kinds of characters of which one piece can consist. They overlap, because encodings differ: a mark belongs to the letters in one
 * and not in another.
 */
const kinds = [
  /[\p{L}\p{M}]+/gu,
  /[^\p{White_Space}\p{L}\p{N}]+/gu,
  /\p{White_Space}+/gu,
  // What may follow signs in the same piece.
  /[\r\n/]+/gu,
] as const;
const digits = /\p{N}+/gu;
/** How the pattern of a newer encoding splits digits. */
const shortDigits = String.raw`\p{N}{1,3}`;

/** The content of a file in tiktoken's `encoders` folder. */
interface Encoding {
  readonly bpe_ranks: string;
  readonly special_tokens: Record<string, number>;
  readonly pat_str: string;
}

const require = createRequire(import.meta.url);
interface LoadedEncoding {
  readonly tiktoken: Tiktoken;
  readonly pattern: string;
}

const loaded = new Map<string, LoadedEncoding>();

// After an error, such as a lack of memory, the state of WebAssembly may be corrupt.
hostWorker<TokenizeRequest>({ answer, exitsOnError: true });

function answer({ type, encoding, text }: TokenizeRequest): TokenizeReplies[keyof TokenizeReplies] {
  const current = loaded.get(encoding) ?? load(encoding);
  loaded.set(encoding, current);
  const { tiktoken, pattern } = current;
  if (exceedsWork(text, pattern)) return null;
  const ids = tiktoken.encode_ordinary(text);
  if (type === "count") return ids.length;
  return packTokens([...ids], (id) => tiktoken.decode_single_token_bytes(id));
}

/** Reads an encoding, which has a few megabytes. */
function load(name: string): LoadedEncoding {
  const encoding = require(`tiktoken/encoders/${name}.json`) as Encoding;
  const tiktoken = new Tiktoken(encoding.bpe_ranks, encoding.special_tokens, encoding.pat_str);
  return { tiktoken, pattern: encoding.pat_str };
}

/**
 * Bounds the work of tiktoken. It splits a text into pieces of one kind of characters, and its time grows with the square of the
 * bytes of a piece: 128 KiB of one letter take a quarter of a minute. Returns whether a text would take too long to tokenize.
 * @param pattern the encoding's pattern of pieces.
 */
function exceedsWork(text: string, pattern: string): boolean {
  if ((text.length * bytesPerUnitMax) ** 2 <= workMax) return false;
  let work = 0;
  for (const kind of pattern.includes(shortDigits) ? kinds : [...kinds, digits])
    for (const [run] of text.matchAll(kind)) {
      if (run.length <= shortRun) continue;
      work += Buffer.byteLength(run) ** 2;
      if (work > workMax) return true;
    }
  return false;
}

/**
 * The tokenize worker thread, which runs tiktoken. Its time grows with the square of the length of a run of letters, so the owner ends the
 * thread when a text takes too long; splitting such a run would be faster but gives other tokens.
 */
import { createRequire } from "node:module";
import { Tiktoken } from "tiktoken/lite";
import { packTokens } from "../packed-tokens.js";
import { hostWorker } from "../worker-host.js";
import type { TokenizeReplies, TokenizeRequest } from "./protocol.js";

/** The content of a file in tiktoken's `encoders` folder. */
interface Encoding {
  readonly bpe_ranks: string;
  readonly special_tokens: Record<string, number>;
  readonly pat_str: string;
}

const require = createRequire(import.meta.url);
const loaded = new Map<string, Tiktoken>();

// After an error, such as a lack of memory, the state of WebAssembly may be corrupt.
hostWorker<TokenizeRequest>({ answer, exitsOnError: true });

function answer({ type, encoding, text }: TokenizeRequest): TokenizeReplies[keyof TokenizeReplies] {
  const tiktoken = loaded.get(encoding) ?? load(encoding);
  loaded.set(encoding, tiktoken);
  const ids = tiktoken.encode_ordinary(text);
  if (type === "count") return ids.length;
  return packTokens([...ids], (id) => tiktoken.decode_single_token_bytes(id));
}

/** Reads an encoding, which has a few megabytes. */
function load(name: string): Tiktoken {
  const encoding = require(`tiktoken/encoders/${name}.json`) as Encoding;
  return new Tiktoken(encoding.bpe_ranks, encoding.special_tokens, encoding.pat_str);
}

/**
 * The tokenize worker thread, which runs tiktoken. Its time grows with the square of the length of a run of letters, so a text with long
 * runs is refused; splitting such a run would be faster but gives other tokens. The owner ends the thread when it takes too long anyway.
 */
import { createRequire } from "node:module";
import { Tiktoken } from "tiktoken/lite";
import { packTokens } from "../packed-tokens.js";
import { hostWorker } from "../../worker/host.js";
import type { TokenizeReplies, TokenizeRequest } from "./protocol.js";
import { exceedsWork } from "./work.js";

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

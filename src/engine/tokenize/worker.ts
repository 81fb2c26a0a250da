/**
 * The thread in which texts are read by tiktoken. Its time grows with the square of a run of letters, so that whoever owns the
 * thread ends it when a text takes too long: cutting such a run would be faster and give other tokens.
 */
import { createRequire } from "node:module";
import { Tiktoken } from "tiktoken/lite";
import { packTokens } from "../packed-tokens.js";
import { answerWork } from "../thread.js";
import type { TokenizeOutcome, TokenizeWork } from "./protocol.js";

/** What a file of tiktoken's `encoders` folder says. */
interface Encoding {
  readonly bpe_ranks: string;
  readonly special_tokens: Record<string, number>;
  readonly pat_str: string;
}

const require = createRequire(import.meta.url);
const loaded = new Map<string, Tiktoken>();

answerWork(tokenize);

function tokenize({ type, encoding, text }: TokenizeWork): TokenizeOutcome {
  const tiktoken = loaded.get(encoding) ?? load(encoding);
  loaded.set(encoding, tiktoken);
  const ids = tiktoken.encode_ordinary(text);
  if (type === "count") return { type: "counted", count: ids.length };
  return { type: "tokenized", tokens: packTokens([...ids], (id) => tiktoken.decode_single_token_bytes(id)) };
}

/** The few megabytes of an encoding are read when it is first asked for. */
function load(name: string): Tiktoken {
  const encoding = require(`tiktoken/encoders/${name}.json`) as Encoding;
  return new Tiktoken(encoding.bpe_ranks, encoding.special_tokens, encoding.pat_str);
}

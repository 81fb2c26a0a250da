/** Makes llama.cpp's form of a vocabulary from a tokenizer.json: byte-level BPE, or SentencePiece with byte fallback. */
import { listSteps, findPreTokenizer } from "./pre-tokenizer.js";
import { TokenizerRefusal } from "./refusal.js";
import type { AddedToken, TokenizerFile, Step } from "./schema.js";

const byteText = /^<0x[0-9A-F]{2}>$/;

/** llama.cpp's types of tokens. */
const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface Vocabulary {
  /** llama.cpp's names: `gpt2` is byte-level BPE, `llama` is SentencePiece. */
  readonly tokenizer: "gpt2" | "llama";
  readonly preTokenizer: string;
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  /** For byte-level BPE: pairs with a space between them, the one to join first at the beginning. */
  readonly merges: readonly string[];
  /** Of SentencePiece: the token with the greater score is made first. */
  readonly scores: readonly number[];
  /** Whether a text begins with a space that is not there. */
  readonly addsSpace: boolean;
}

/** @param size tokens, with unused ones at the end; 0: as many as there are. @throws TokenizerRefusal */
export function readVocabulary(file: TokenizerFile, size: number): Vocabulary {
  const { model, added_tokens: added } = file;
  for (const field of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"] as const)
    if (model[field] !== undefined && model[field] !== null && model[field] !== "" && model[field] !== 0)
      throw new TokenizerRefusal(`tokenizer.json: model.${field} is not supported`);
  for (const token of added) refuseStripping(token);
  const texts = listTokenTexts(file, size);
  const merges = model.merges.map((pair) => (typeof pair === "string" ? pair : pair.join(" ")));
  const isOfBytes = listSteps(file.pre_tokenizer).some(({ type }) => type === "ByteLevel");
  const common = { tokens: texts.map((text, id) => text ?? `[PAD${id}]`), types: listTypes(file, texts) };
  if (!isOfBytes) {
    const { addsSpace, scores } = toSentencePiece(file, common.tokens, merges);
    return { ...common, tokenizer: "llama", preTokenizer: "default", merges: [], scores, addsSpace };
  }
  // Texts that are not in this form are rare, and llama.cpp, too, takes them as they are.
  const normalizers = listSteps(file.normalizer).filter(({ type }) => type !== "NFC");
  if (normalizers[0] !== undefined)
    throw new TokenizerRefusal(`tokenizer.json: normalizer: '${normalizers[0].type}' is not supported`);
  const preTokenizer = findPreTokenizer(file);
  return { ...common, tokenizer: "gpt2", preTokenizer, merges, scores: [], addsSpace: false };
}

/** A special token is never read in a text, so that white space beside it does not matter. */
function refuseStripping({ content, special, lstrip, rstrip, single_word: isWord }: AddedToken): void {
  if (special || !(lstrip || rstrip || isWord)) return;
  throw new TokenizerRefusal(
    `tokenizer.json: added_tokens: '${content}' takes white space beside it, or must be a word, which is not supported`,
  );
}

/** Returns the texts of tokens by their ids; null where no token has the id. */
function listTokenTexts(
  { model, added_tokens: added }: TokenizerFile,
  size: number,
): readonly (string | null)[] {
  const entries = Object.entries(model.vocab);
  const count = [...entries.map(([, id]) => id), ...added.map(({ id }) => id)].reduce(
    (most, id) => Math.max(most, id + 1),
    size,
  );
  const texts = new Array<string | null>(count).fill(null);
  for (const [text, id] of entries) texts[id] = text;
  for (const { id, content } of added) texts[id] = content;
  return texts;
}

function listTypes(
  { model, added_tokens: added }: TokenizerFile,
  texts: readonly (string | null)[],
): readonly number[] {
  const hasByteTokens = model.byte_fallback === true;
  const types: number[] = texts.map((text) =>
    text === null
      ? tokenTypes.unused
      : hasByteTokens && byteText.test(text)
        ? tokenTypes.byte
        : tokenTypes.normal,
  );
  for (const { id, special } of added) types[id] = special ? tokenTypes.control : tokenTypes.userDefined;
  const unknown = typeof model.unk_token === "string" ? model.vocab[model.unk_token] : undefined;
  if (unknown !== undefined && hasByteTokens) types[unknown] = tokenTypes.unknown;
  return types;
}

// A tokenizer.json that was made from a SentencePiece model: pairs of characters are joined in the order of its merges. SentencePiece
// itself joins the pair whose union has the greatest score, whichever pair it is. Both do the same where every pair that makes a token is
// among the merges, and the merges that make one token follow each other; a file for which that does not hold is refused.

/** What SentencePiece has in place of a space. */
const blank = "\u2581";

interface SentencePiece {
  /** Whether a text begins with a space that is not there. */
  readonly addsSpace: boolean;
  /** By the ids of tokens. */
  readonly scores: readonly number[];
}

/** @throws TokenizerRefusal */
function toSentencePiece(
  file: TokenizerFile,
  tokens: readonly string[],
  merges: readonly string[],
): SentencePiece {
  if (file.model.byte_fallback !== true)
    throw new TokenizerRefusal(
      "tokenizer.json: pre_tokenizer: it has no ByteLevel, and model.byte_fallback is not true; other tokenizers are not supported",
    );
  return { addsSpace: readAddsSpace(file), scores: listScores(file, tokens, merges) };
}

function readAddsSpace({ normalizer, pre_tokenizer: splits }: TokenizerFile): boolean {
  let addsSpace = false;
  let replacesSpaces = false;
  for (const step of [...listSteps(normalizer), ...listSteps(splits)]) {
    const { type } = step;
    if (type === "Prepend" && step["prepend"] === blank) addsSpace = true;
    else if (type === "Replace" && isSpace(step) && step["content"] === blank) replacesSpaces = true;
    else if (type === "Metaspace" && step["replacement"] === blank && step["split"] !== true) {
      const scheme = step["prepend_scheme"];
      // Another scheme adds a space at the beginning of a prompt, and none after a control token.
      if (scheme !== "always" && scheme !== "never") throw unsupported("Metaspace with this prepend_scheme");
      addsSpace = scheme === "always";
      replacesSpaces = true;
    } else if (!(type === "Split" && isSpace(step))) throw unsupported(type);
  }
  // After their replacement, a split at spaces finds none.
  if (!replacesSpaces) throw unsupported("a text whose spaces are not replaced");
  return addsSpace;
}

function isSpace(step: Step): boolean {
  const { String: text } = (step["pattern"] ?? {}) as { readonly String?: string };
  return text === " ";
}

function unsupported(what: string): TokenizerRefusal {
  return new TokenizerRefusal(`tokenizer.json: normalizer or pre_tokenizer: ${what} is not supported`);
}

function listScores(
  { model, added_tokens: added }: TokenizerFile,
  tokens: readonly string[],
  merges: readonly string[],
): readonly number[] {
  const ranks = new Map<string, number>();
  let last = "";
  for (const [rank, pair] of merges.entries()) {
    const whole = pair.replace(" ", "");
    if (whole !== last && ranks.has(whole))
      throw notAlike(`the pairs that make '${whole}' do not follow each other`);
    if (whole !== last) ranks.set(whole, rank);
    last = whole;
  }
  const listed = new Set(merges);
  const isAdded = new Set(added.map(({ content }) => content));
  for (const text of Object.keys(model.vocab)) {
    if (isAdded.has(text) || /^<0x[0-9A-F]{2}>$/.test(text)) continue;
    for (const [left, right] of listSplits(text))
      if (
        Object.hasOwn(model.vocab, left) &&
        Object.hasOwn(model.vocab, right) &&
        !listed.has(`${left} ${right}`)
      )
        throw notAlike(`'${left}' and '${right}' are not joined, and '${text}' is a token`);
  }
  const lowest = merges.length;
  return tokens.map((text) => -(ranks.get(text) ?? lowest));
}

function* listSplits(text: string): Generator<readonly [string, string], void, undefined> {
  const characters = [...text];
  for (let at = 1; at < characters.length; at += 1)
    yield [characters.slice(0, at).join(""), characters.slice(at).join("")];
}

function notAlike(reason: string): TokenizerRefusal {
  return new TokenizerRefusal(
    `tokenizer.json: model.merges: no SentencePiece model has such merges: ${reason}`,
  );
}

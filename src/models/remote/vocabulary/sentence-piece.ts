/**
 * A tokenizer.json that was made from a SentencePiece model: pairs of characters are joined in the order of its merges. SentencePiece
 * itself joins the pair whose union has the greatest score, whichever pair it is. Both do the same where every pair that makes a token
 * is among the merges, and the merges that make one token follow each other; a file for which that does not hold is refused.
 */
import { listSteps } from "./pre-tokenizer.js";
import { TokenizerRefusal } from "./refusal.js";
import type { Step, TokenizerFile } from "./schema.js";

/** What SentencePiece has in place of a space. */
const blank = "\u2581";

interface SentencePiece {
  /** Whether a text begins with a space that is not there. */
  readonly addsSpace: boolean;
  /** By the ids of tokens. */
  readonly scores: readonly number[];
}

/** @throws TokenizerRefusal */
export function toSentencePiece(
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
    `tokenizer.json: model.merges: they are not those of a SentencePiece model: ${reason}`,
  );
}

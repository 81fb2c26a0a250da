/**
 * Tokenizes texts as llama.cpp does, except that control tokens never result from text of messages: llama.cpp finds them either
 * everywhere in a text or nowhere.
 */
import type { Part } from "./mask.js";
import { TextFinder, type SpecialToken } from "./special-tokens.js";

/** The tokenizer of a loaded model, as the library has it. */
interface LibraryTokenizer {
  /** Whether a text begins with an added space, as in SentencePiece. */
  readonly addsSpace: boolean;
  /** @param controlTokens whether control texts become control tokens. */
  tokenize(text: string, controlTokens: boolean): readonly number[];
}

/** The properties of a loaded model that its tokens depend on. */
export interface TokenizerModel extends LibraryTokenizer {
  readonly specialTokens: readonly SpecialToken[];
}

/** A special token, or text that is tokenized without control tokens. */
type Fragment = SpecialToken | string;

/** No token contains this noncharacter, so that tokens of the text before it and after it never merge. */
const separator = "\uFDD0";

export function createTextTokenizer(model: TokenizerModel) {
  const controls = model.specialTokens.filter((token) => token.templateOnly);
  const controlIds = new Set(controls.filter((token) => !token.isUnknown).map((token) => token.id));
  // SentencePiece writes a space as U+2581.
  const controlFinder = new TextFinder(
    controls.flatMap(({ text }) => [text, text.replaceAll("\u2581", " ")]),
  );
  const partition = createPartition(model.specialTokens);

  /** Cuts each control text in two. */
  const withoutControl = (text: string): readonly number[] => {
    const [first = "", ...others] = cutInside(text, controlFinder);
    const tokens = [
      ...model.tokenize(first, false),
      ...others.flatMap((piece) => continuation(model, piece)),
    ];
    return tokens.filter((token) => !controlIds.has(token));
  };
  const plain = (text: string): readonly number[] => {
    const tokens = model.tokenize(text, false);
    // Few tokenizers return control tokens here: of texts that are merged to one, or of marks that llama.cpp finds in any text.
    return tokens.some((token) => controlIds.has(token)) ? withoutControl(text) : tokens;
  };
  return {
    /** Returns the tokens of a text of messages. */
    plain,
    /** Returns the tokens of a rendered prompt. Masked parts contain no control token. */
    rendered(parts: readonly Part[]): readonly number[] {
      if (!parts.some((part) => part.isMasked))
        return model.tokenize(parts.map((part) => part.text).join(""), true);
      const fragments = parts.flatMap(({ text, isMasked }) => (isMasked ? [text] : partition(text)));
      return joinTexts(fragments)
        .map(stripSpace)
        .flatMap((fragment) => (typeof fragment === "string" ? plain(fragment) : [fragment.id]));
    },
  };
}

/** Returns the tokens of text that continues other text. @param controlTokens whether control texts become control tokens */
export function continuation(
  model: LibraryTokenizer,
  piece: string,
  controlTokens = false,
): readonly number[] {
  if (!model.addsSpace) return model.tokenize(piece, controlTokens);
  const before = model.tokenize(separator, controlTokens).length;
  return model.tokenize(separator + piece, controlTokens).slice(before);
}

/**
 * Creates the function that splits a text at special tokens, as llama.cpp does: longer ones first, wherever they are. Splits at control
 * tokens and at user-defined tokens that may take precedence over one; the others are left to the library.
 */
function createPartition(specialTokens: readonly SpecialToken[]): (text: string) => readonly Fragment[] {
  const tokens = precedingTokens(specialTokens);
  const finder = new TextFinder(tokens.keys());
  return (text) => {
    const found = [...finder.all(text)].map((each) => ({ ...each, bytes: Buffer.byteLength(each.text) }));
    found.sort((a, b) => b.bytes - a.bytes || a.start - b.start);
    const isTaken = new Uint8Array(text.length);
    const taken = found.filter(({ start, text: { length } }) => {
      if (isTaken.subarray(start, start + length).includes(1)) return false;
      isTaken.fill(1, start, start + length);
      return true;
    });
    taken.sort((a, b) => a.start - b.start);
    const fragments: Fragment[] = [];
    let end = 0;
    for (const each of taken) {
      const token = tokens.get(each.text);
      if (each.start > end) fragments.push(text.slice(end, each.start));
      if (token !== undefined) fragments.push(token);
      end = each.start + each.text.length;
    }
    return end === text.length ? fragments : [...fragments, text.slice(end)];
  };
}

/** Returns the control tokens, and the user-defined tokens that are as long as a control token and overlap its text, by their text. */
function precedingTokens(specialTokens: readonly SpecialToken[]): ReadonlyMap<string, SpecialToken> {
  const controls = specialTokens.filter((token) => token.templateOnly);
  const finder = new TextFinder(controls.map((token) => token.text));
  const beginnings = new Set(controls.flatMap(({ text }) => cuts(text).map((at) => text.slice(0, at))));
  const endings = new Set(controls.flatMap(({ text }) => cuts(text).map((at) => text.slice(at))));
  const shortest = Math.min(...controls.map(({ text }) => text.length));
  const precedes = ({ text }: SpecialToken): boolean =>
    text.length >= shortest &&
    (!finder.all(text).next().done ||
      cuts(text).some((at) => beginnings.has(text.slice(at)) || endings.has(text.slice(0, at))));
  const preceding = specialTokens.filter((token) => token.templateOnly || precedes(token));
  return new Map(preceding.map((token) => [token.text, token]));
}

function cuts(text: string): readonly number[] {
  return Array.from({ length: text.length - 1 }, (_, index) => index + 1);
}

/** Joins adjacent texts. */
function joinTexts(fragments: readonly Fragment[]): readonly Fragment[] {
  const joined: Fragment[] = [];
  for (const fragment of fragments) {
    const last = joined.at(-1);
    if (typeof fragment === "string" && typeof last === "string") joined[joined.length - 1] = last + fragment;
    else joined.push(fragment);
  }
  return joined;
}

/** Drops the white space that the special tokens beside a text strip. */
function stripSpace(fragment: Fragment, at: number, fragments: readonly Fragment[]): Fragment {
  if (typeof fragment !== "string") return fragment;
  const [before = "", after = ""] = [fragments[at - 1], fragments[at + 1]];
  const stripped =
    typeof before === "object" && before.stripsAfter ? fragment.replace(/^[ \t-\r]+/, "") : fragment;
  return typeof after === "object" && after.stripsBefore ? stripped.replace(/[ \t-\r]+$/, "") : stripped;
}

/** Cuts a text inside of every text that the finder finds: between its signs and its letters, where tokens end anyway. */
function cutInside(text: string, finder: TextFinder): readonly string[] {
  const places = new Set<number>();
  for (const { text: found, start } of finder.all(text)) {
    const [signs = ""] = /^[^\p{L}\p{N}]+(?=[\p{L}\p{N}])/u.exec(found) ?? [];
    const [first = ""] = found;
    places.add(start + (signs === "" ? first.length : signs.length));
  }
  const ordered = [0, ...[...places].sort((a, b) => a - b), text.length];
  return ordered.slice(1).map((place, index) => text.slice(ordered[index], place));
}

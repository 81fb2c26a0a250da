/**
 * Maps the tokens of a vocabulary to bytes, which streaming text is built from, since a token may hold a part of a character. Control
 * tokens have no bytes, except the markers of reasoning and tool calls.
 */

import { TokenBeginnings } from "./token-beginnings.js";

/** Token types of a GGUF file (`tokenizer.ggml.token_type`). */
export const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface TokenVocabulary {
  /** `tokenizer.ggml.model`: `gpt2` (BPE, mostly of bytes), `llama` (SentencePiece) or another. */
  readonly tokenizer: string;
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  /** Control tokens that keep their text: markers that the answer parser needs. */
  readonly readableControlTokens: ReadonlySet<string>;
}

export type TokenBytes = ReturnType<typeof createTokenBytes>;

/**
 * Creates the mapping of a vocabulary.
 * @param fallback detokenizes a token with the library, for tokenizers that this file does not know.
 */
export function createTokenBytes(vocabulary: TokenVocabulary, fallback: (token: number) => string) {
  const known = new Map<number, Uint8Array>();
  const spell = createSpeller(vocabulary);
  let longestBytes = 1;
  for (const text of vocabulary.tokens) longestBytes = Math.max(longestBytes, Buffer.byteLength(text));
  const of = (token: number): Uint8Array => {
    const cached = known.get(token);
    if (cached !== undefined) return cached;
    const bytes = inRange(vocabulary, token)
      ? (spell(token) ?? Buffer.from(fallback(token)))
      : new Uint8Array(0);
    known.set(token, bytes);
    return bytes;
  };
  let quotes: ReturnType<TokenBytes["withQuotes"]> | null = null;
  let beginnings: TokenBeginnings | null = null;
  return {
    /** Returns the tokens by the beginnings of their texts; listed at the first call. */
    beginnings: (): TokenBeginnings => (beginnings ??= new TokenBeginnings(vocabulary.tokens, of)),
    /** The longest token in bytes: no text of n bytes has fewer than n / longest tokens. */
    longestBytes,
    /** Returns the bytes of a token; empty for control tokens and for ids outside the vocabulary. */
    of,
    /** Returns the tokens that contain one quotation mark, and those that contain several; listed at the first call. */
    withQuotes: (): { readonly one: readonly number[]; readonly several: readonly number[] } =>
      (quotes ??= tokensWithQuotes(vocabulary)),
    /** Returns a token for display: its text, or its name in the vocabulary if it has no text. */
    display: (token: number): string =>
      of(token).length > 0 ? Buffer.from(of(token)).toString() : (vocabulary.tokens[token] ?? ""),
  };
}

function tokensWithQuotes({ tokens }: TokenVocabulary): ReturnType<TokenBytes["withQuotes"]> {
  const one: number[] = [];
  const several: number[] = [];
  for (const [token, text] of tokens.entries()) {
    const first = text === "<0x22>" ? 0 : text.indexOf('"');
    if (first >= 0) (text.includes('"', first + 1) && text !== "<0x22>" ? several : one).push(token);
  }
  return { one, several };
}

function inRange(vocabulary: TokenVocabulary, token: number): boolean {
  return Number.isInteger(token) && token >= 0 && token < vocabulary.tokens.length;
}

function createSpeller(vocabulary: TokenVocabulary): (token: number) => Uint8Array | null {
  const { tokenizer } = vocabulary;
  // A BPE vocabulary with byte tokens is one of characters, as SentencePiece has.
  const isByteLevel = tokenizer === "gpt2" && !vocabulary.types.includes(tokenTypes.byte);
  const byteLevel = isByteLevel ? byteLevelAlphabet() : null;
  const isOfCharacters = !isByteLevel && ["gpt2", "llama", "gemma4", "t5"].includes(tokenizer);
  return (token) => {
    const text = vocabulary.tokens[token] ?? "";
    const type = vocabulary.types[token] ?? tokenTypes.normal;
    if (type === tokenTypes.control && vocabulary.readableControlTokens.has(text)) return Buffer.from(text);
    if (type === tokenTypes.control || type === tokenTypes.unknown || type === tokenTypes.unused)
      return new Uint8Array(0);
    if (type === tokenTypes.userDefined) return Buffer.from(text);
    if (byteLevel !== null) return fromByteLevel(text, byteLevel);
    const byte = type === tokenTypes.byte ? byteNamed(text) : null;
    if (byte !== null) return byte;
    return isOfCharacters ? Buffer.from(text.replaceAll("\u2581", " ")) : null;
  };
}

/** Returns GPT-2's reversible alphabet: a printable Latin-1 byte is its own character, every other byte a character from U+0100 up. */
function byteLevelAlphabet(): ReadonlyMap<string, number> {
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    alphabet.set(String.fromCharCode(printable ? byte : next++), byte);
  }
  return alphabet;
}

function fromByteLevel(text: string, alphabet: ReadonlyMap<string, number>): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const byte = alphabet.get(character);
    if (byte === undefined) bytes.push(...Buffer.from(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Returns the byte of a byte token, whose text is like `<0x0A>`; null for another text. */
function byteNamed(text: string): Uint8Array | null {
  const [, hex] = /^<0x([0-9A-Fa-f]{2})>$/.exec(text) ?? [];
  return hex === undefined ? null : Uint8Array.of(Number.parseInt(hex, 16));
}

/** Builds small vocabularies: of byte-level BPE with the control tokens of the Qwen family, and of SentencePiece with the control tokens of Gemma. */

/** llama.cpp's names of tokenizers: `gpt2` is byte-level BPE, `llama` is SentencePiece. */
export type TokenizerName = "gpt2" | "llama";

export interface Vocabulary {
  readonly tokens: readonly string[];
  /** llama.cpp's token types: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte. */
  readonly types: readonly number[];
  /** For byte-level BPE only. */
  readonly merges: readonly string[];
  /** Of SentencePiece only: of two pairs of tokens, the one whose union has the greater score is joined first. */
  readonly scores: readonly number[];
  readonly eosId: number;
  readonly padId: number;
}

const control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const markers = ["<think>", "</think>", "<tool_call>", "</tool_call>"];

/**
 * Adds words as tokens with and without a leading space, and further control tokens. Fills up to `size` with unused tokens, like real vocabularies; 0 adds none.
 */
export function buildVocabulary(
  words: readonly string[],
  size: number,
  controlTokens: readonly string[] = [],
): Vocabulary {
  const tokens = Array.from({ length: 256 }, (_, byte) => byteLetter(byte));
  const known = new Set(tokens);
  const merges: string[] = [];
  for (const word of words.flatMap((plain) => [plain, ` ${plain}`])) {
    const letters = Array.from(Buffer.from(word), byteLetter);
    let joined = letters.shift() ?? "";
    for (const letter of letters) {
      const next = joined + letter;
      if (!known.has(next)) {
        known.add(next);
        tokens.push(next);
        merges.push(`${joined} ${letter}`);
      }
      joined = next;
    }
  }
  const types = tokens.map(() => 1);
  const controlStart = tokens.length;
  tokens.push(...control, ...markers, ...controlTokens);
  types.push(...control.map(() => 3), ...markers.map(() => 4), ...controlTokens.map(() => 3));
  while (tokens.length < size) {
    types.push(5);
    tokens.push(`[PAD${tokens.length}]`);
  }
  return { tokens, types, merges, scores: [], eosId: controlStart + 2, padId: controlStart };
}

/** Has the words with and without a leading space, printable ASCII, and a token for each byte to fall back to. */
export function buildPieces(words: readonly string[]): Vocabulary {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const printable = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at));
  const prefixes = words
    .flatMap((plain) => [plain, `\u2581${plain}`])
    .flatMap((word) => Array.from(word, (_, at) => word.slice(0, at + 1)));
  const pieces = [...new Set(["\u2581", ...printable, ...prefixes])];
  const kinds: readonly (readonly [type: number, tokens: readonly string[]])[] = [
    [3, ["<pad>", "<eos>", "<bos>"]],
    [2, ["<unk>"]],
    [3, ["<start_of_turn>", "<end_of_turn>"]],
    [6, bytes],
    [1, pieces],
  ];
  const tokens = kinds.flatMap(([, texts]) => texts);
  return {
    tokens,
    types: kinds.flatMap(([type, texts]) => texts.map(() => type)),
    merges: [],
    scores: tokens.map((_, id) => -id),
    eosId: 1,
    padId: 0,
  };
}

/** Returns GPT-2's letter for a byte: the character itself if printable, else a letter from U+0100 up. */
export function byteLetter(byte: number): string {
  return isPrintable(byte) ? String.fromCharCode(byte) : String.fromCharCode(256 + hiddenBefore(byte));
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

function hiddenBefore(byte: number): number {
  let count = 0;
  for (let other = 0; other < byte; other += 1) if (!isPrintable(other)) count += 1;
  return count;
}

/** Builds a byte-level BPE vocabulary: every byte, the given words, and the control tokens of the Qwen family. */

export interface Vocabulary {
  readonly tokens: readonly string[];
  /** llama.cpp's token types: 1 normal, 3 control, 4 user defined, 5 unused. */
  readonly types: readonly number[];
  readonly merges: readonly string[];
  readonly eosId: number;
  readonly padId: number;
}

const control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const markers = ["<think>", "</think>", "<tool_call>", "</tool_call>"];

/**
 * Adds words as tokens with and without a leading space. Fills up to `size` with unused tokens, like real vocabularies; 0 adds none.
 */
export function buildVocabulary(words: readonly string[], size: number): Vocabulary {
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
  tokens.push(...control, ...markers);
  types.push(...control.map(() => 3), ...markers.map(() => 4));
  while (tokens.length < size) {
    types.push(5);
    tokens.push(`[PAD${tokens.length}]`);
  }
  return { tokens, types, merges, eosId: controlStart + 2, padId: controlStart };
}

/** Returns GPT-2's letter for a byte: the character itself if printable, else a letter from U+0100 up. */
function byteLetter(byte: number): string {
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

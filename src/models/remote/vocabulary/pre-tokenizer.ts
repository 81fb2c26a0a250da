/** Finds which of llama.cpp's pre-tokenizers cuts text into words as a tokenizer.json says. */
import { TokenizerRefusal } from "./refusal.js";
import type { Step, TokenizerFile } from "./schema.js";

interface PreTokenizer {
  /** llama.cpp's name. */
  readonly name: string;
  /** What `describe` returns for each step, in order. */
  readonly steps: readonly string[];
  /** Whether a word that is a token stays one, whatever its merges say. */
  readonly ignoresMerges: boolean;
}

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const rest = String.raw`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const llama3 = String.raw`${contractions}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}${rest}`;
const qwen2 = String.raw`${contractions}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}${rest}`;
const qwen35 = String.raw`${contractions}|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const deepSeek3 = String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${"`"}{|}~][A-Za-z]+|[^${"\r\n"}\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[${"\r\n"}]*|\s*[${"\r\n"}]+|\s+(?!\S)|\s+`;

const bytes = "bytes";
/** GPT-2's own words, then bytes. */
const words = "words and bytes";

const known: readonly PreTokenizer[] = [
  { name: "gpt-2", steps: [words], ignoresMerges: false },
  { name: "smollm", steps: ["digits", words], ignoresMerges: false },
  { name: "llama-bpe", steps: [llama3, bytes], ignoresMerges: true },
  { name: "dbrx", steps: [llama3, bytes], ignoresMerges: false },
  { name: "qwen2", steps: [qwen2, bytes], ignoresMerges: false },
  { name: "qwen35", steps: [qwen35, bytes], ignoresMerges: false },
  {
    name: "deepseek-v3",
    steps: [String.raw`\p{N}{1,3}`, "[一-龥぀-ゟ゠-ヿ]+", deepSeek3, bytes],
    ignoresMerges: false,
  },
];

/** Returns llama.cpp's name of a byte-level pre-tokenizer. @throws TokenizerRefusal */
export function findPreTokenizer({ pre_tokenizer: step, model }: TokenizerFile): string {
  const steps = listSteps(step).map(describe);
  const alike = known.filter((each) => each.steps.join("\n") === steps.join("\n"));
  const found = alike.find(({ ignoresMerges }) => ignoresMerges === (model.ignore_merges ?? false));
  if (found !== undefined) return found.name;
  const field = alike.length > 0 ? "model.ignore_merges" : "pre_tokenizer";
  throw new TokenizerRefusal(
    `tokenizer.json: ${field}: text is cut into words in a way that is not supported (${steps.join(", ").slice(0, 300)})`,
  );
}

/** Returns the steps of a sequence, or the only one. */
export function listSteps(step: Step | null | undefined): readonly Step[] {
  if (step == null) return [];
  if (step.type !== "Sequence") return [step];
  const parts = step["pretokenizers"] ?? step["normalizers"] ?? step["processors"];
  return Array.isArray(parts) ? (parts as readonly Step[]) : [];
}

function describe(step: Step): string {
  if (step.type === "ByteLevel" && step["add_prefix_space"] !== true)
    return step["use_regex"] === false ? bytes : words;
  if (step.type === "Digits" && step["individual_digits"] === true) return "digits";
  const { Regex: regex } = (step["pattern"] ?? {}) as { readonly Regex?: string };
  if (
    step.type === "Split" &&
    step["behavior"] === "Isolated" &&
    step["invert"] !== true &&
    regex !== undefined
  )
    return regex;
  return step.type;
}

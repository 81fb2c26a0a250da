/**
 * Checks the values that llama.cpp requires in a well-formed header. Several invalid values abort the whole
 * process there (an assertion, not an error), so they are checked before native code opens the file.
 */
import type { GgufMetadata, GgufValue } from "./metadata.js";
import { isProjector } from "./projector-kind.js";
import { poolings } from "./pooling.js";
import { grouped, quoted } from "./refusal.js";

/** llama.cpp's LLAMA_MAX_LAYERS and LLAMA_MAX_EXPERTS. */
const layersMax = 512;
const expertsMax = 1024;
/** llama.cpp aborts for a pooling type that it does not know. */
const poolingTypesMax = poolings.length - 1;
const ropeScalings = new Set(["none", "linear", "yarn", "longrope"]);
/** Architectures without attention; their files have head_count 0. */
const recurrent = new Set(["mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"]);
/** Architectures with rotary embedding over the whole head; others may rotate a part. */
const wholeRope = new Set(["qwen2", "qwen2moe", "qwen3", "qwen3moe", "llama"]);
/** Tokenizers that can tokenize text; `none` aborts at the first text. */
const tokenizers = new Set([
  "gpt2",
  "llama",
  "bert",
  "t5",
  "rwkv",
  "plamo2",
  "gemma4",
  "hybriddna",
  "whitespace",
]);

/** @returns a public clause that says why the header does not belong to a usable model, or null if it does */
export function checkMetadata(metadata: GgufMetadata): string | null {
  const architecture = metadata.values.get("general.architecture");
  if (typeof architecture !== "string" || architecture === "") return "it names no architecture.";
  const kind = metadata.values.get("general.type");
  if (isProjector(metadata))
    return "it is a projector (mmproj), which reads images or sound for the model that it lies beside.";
  if (typeof kind === "string" && kind !== "model")
    return `it is a file of type ${quoted(kind)}, not a model.`;
  if (!architectures.has(architecture))
    return `its architecture ${quoted(architecture)} is unknown to the engine.`;
  return (
    checkShape(metadata, architecture) ??
    checkHeads(metadata, architecture) ??
    checkLayers(metadata, architecture) ??
    checkExperts(metadata, architecture) ??
    checkVocabulary(metadata)
  );
}

function checkShape({ values }: GgufMetadata, architecture: string): string | null {
  for (const name of ["context_length", "embedding_length", "block_count"]) {
    const value = values.get(`${architecture}.${name}`);
    if (value === undefined) return `it does not say its ${name}.`;
    if (!isPositive(value)) return notPositive(name, value);
  }
  const layers = Number(values.get(`${architecture}.block_count`));
  if (layers > layersMax)
    return `its block_count is ${grouped(layers)}, more than the ${layersMax} that can be run.`;
  const predicted = values.get(`${architecture}.nextn_predict_layers`) ?? 0;
  if (!isCount(predicted) || predicted > layers)
    return `its nextn_predict_layers is ${shown(predicted)}, more than its layers.`;
  const pooling = values.get(`${architecture}.pooling_type`) ?? 0;
  if (!isCount(pooling) || pooling > poolingTypesMax)
    return `its pooling_type is ${shown(pooling)}, expected 0 to ${poolingTypesMax}.`;
  const scaling = values.get(`${architecture}.rope.scaling.type`) ?? "none";
  if (typeof scaling !== "string" || !ropeScalings.has(scaling))
    return `its rope.scaling.type ${shown(scaling)} is unknown.`;
  return null;
}

/** Checks the head counts: a single number, or one per layer with 0 for layers without attention. */
function checkHeads({ values }: GgufMetadata, architecture: string): string | null {
  if (recurrent.has(architecture)) return null;
  const headCount = values.get(`${architecture}.attention.head_count`);
  if (headCount === undefined) return "it does not say its attention.head_count.";
  const heads = largest(headCount);
  const keyHeads = largest(values.get(`${architecture}.attention.head_count_kv`) ?? heads);
  if (!isPositive(heads)) return notPositive("attention.head_count", heads);
  if (!isPositive(keyHeads)) return notPositive("attention.head_count_kv", keyHeads);
  const alike =
    typeof headCount === "number" &&
    typeof values.get(`${architecture}.attention.head_count_kv`) !== "object";
  if (alike && heads % keyHeads !== 0)
    return `its ${heads} heads are no multiple of its ${keyHeads} key heads.`;
  const embedding = Number(values.get(`${architecture}.embedding_length`));
  const headSize = values.get(`${architecture}.attention.key_length`) ?? Math.floor(embedding / heads);
  const valueSize = values.get(`${architecture}.attention.value_length`) ?? headSize;
  if (!isPositive(headSize)) return notPositive("attention.key_length", headSize);
  if (!isPositive(valueSize)) return notPositive("attention.value_length", valueSize);
  return alike ? checkRope(values, architecture, headSize) : null;
}

function checkRope(values: GgufMetadata["values"], architecture: string, headSize: number): string | null {
  const rotated = values.get(`${architecture}.rope.dimension_count`) ?? headSize;
  const fits = isCount(rotated) && rotated % 2 === 0 && rotated <= headSize;
  if (!fits || (wholeRope.has(architecture) && rotated !== headSize))
    return `its rope.dimension_count is ${shown(rotated)}, which does not fit heads of ${grouped(headSize)}.`;
  return null;
}

/** Checks the layer parameters other than attention. */
function checkLayers({ values }: GgufMetadata, architecture: string): string | null {
  for (const name of ["attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"]) {
    const epsilon = values.get(`${architecture}.${name}`) ?? 0;
    if (typeof epsilon !== "number" || !Number.isFinite(epsilon) || epsilon < 0)
      return `its ${name} is not a number of 0 or more.`;
  }
  // llama.cpp uses 0 if it is absent.
  const width = values.get(`${architecture}.feed_forward_length`) ?? 0;
  const isDense = (values.get(`${architecture}.expert_count`) ?? 0) === 0 && !recurrent.has(architecture);
  return width === 0 && isDense ? notPositive("feed_forward_length", width) : null;
}

function checkExperts({ values }: GgufMetadata, architecture: string): string | null {
  const experts = values.get(`${architecture}.expert_count`) ?? 0;
  if (!isCount(experts) || experts > expertsMax)
    return `its expert_count is ${shown(experts)}, more than ${expertsMax}.`;
  const given = values.get(`${architecture}.expert_used_count`) ?? 0;
  const used = largest(given);
  // Hunyuan's dense models declare one expert although they have none.
  const expertsLeast = architecture.startsWith("hunyuan") ? 2 : 1;
  if (!isCount(used) || used > experts || (experts >= expertsLeast && used === 0))
    return `its expert_used_count is ${shown(used)}, which does not fit its expert_count of ${grouped(experts)}.`;
  const groups = values.get(`${architecture}.expert_group_count`) ?? 0;
  if (!isCount(groups) || (groups > 0 && groups >= experts) || (groups > 1 && experts % groups !== 0))
    return `its expert_group_count is ${shown(groups)}, which does not fit its expert_count of ${grouped(experts)}.`;
  const groupsUsed = values.get(`${architecture}.expert_group_used_count`) ?? 0;
  if (groups > 1 && (!isCount(groupsUsed) || groupsUsed === 0 || groupsUsed >= groups))
    return `its expert_group_used_count is ${shown(groupsUsed)}, which does not fit its expert_group_count.`;
  return null;
}

function checkVocabulary({ values, arrayLengths, tokens, byteTokens }: GgufMetadata): string | null {
  const tokenizer = values.get("tokenizer.ggml.model");
  if (typeof tokenizer !== "string") return "it names no tokenizer.";
  if (!tokenizers.has(tokenizer)) return `its tokenizer ${quoted(tokenizer)} is unknown.`;
  if (tokens === null) return "it has no vocabulary.";
  if (tokens.count === 0) return "its vocabulary is empty.";
  for (const name of ["token_type", "scores"]) {
    const length = arrayLengths.get(`tokenizer.ggml.${name}`);
    if (length !== undefined && length !== tokens.count)
      return `its tokenizer.ggml.${name} has ${grouped(length)} entries for ${grouped(tokens.count)} tokens.`;
  }
  const eos = values.get("tokenizer.ggml.eos_token_id");
  if (eos !== undefined && (!isCount(eos) || eos >= tokens.count))
    return `its eos_token_id is ${shown(eos)}, but it has ${grouped(tokens.count)} tokens.`;
  // The SentencePiece tokenizer falls back to byte tokens, and aborts the process if one is missing.
  if (tokenizer === "llama" && tokens.bytes !== 256)
    return "its vocabulary lacks tokens for some of the 256 bytes.";
  const broken = byteTokens.find((id) => !tokens.byteTexts.has(id));
  if (broken !== undefined) return `its byte token ${broken} is not written as <0x00> to <0xFF>.`;
  return null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isPositive(value: unknown): value is number {
  return isCount(value) && value > 0;
}

function notPositive(name: string, value: unknown): string {
  return `its ${name} is ${shown(value)}, expected a positive number.`;
}

/** Returns the largest number of a list, which represents all layers; any other value unchanged. */
function largest(value: GgufValue): GgufValue {
  return typeof value === "object" ? Math.max(0, ...value) : value;
}

function shown(value: unknown): string {
  if (typeof value === "number") return grouped(value);
  return typeof value === "string" ? quoted(value) : "no number";
}

/** The architectures that the installed llama.cpp knows, in alphabetical order. A test compares them with its library. */
const names = `
  afmoe apertus arcee arctic arwkv7 baichuan bailingmoe bailingmoe2 bailingmoe3 bert bitnet bloom
  chameleon chatglm codeshell cogvlm cohere2 cohere2moe command-r dbrx deci deepseek deepseek2
  deepseek2-ocr deepseek32 deepseek4 dflash dots1 dots3note dream eagle3 ernie4_5 ernie4_5-moe eurobert
  exaone exaone-moe exaone4 falcon falcon-h1 gemma gemma-embedding gemma2 gemma3 gemma3n gemma4
  gemma4-assistant glm-dsa glm4 glm4moe gpt-oss gpt2 gptj gptneox granite granite_swa granitehybrid
  granitemoe graniteswitch grok grovemoe hunyuan-dense hunyuan-moe hunyuan_vl hy_v3 internlm2 jais jais2
  jamba jina-bert-v2 jina-bert-v3 kimi-k3 kimi-linear laguna lfm2 lfm2moe llada llada-moe llama
  llama-embed llama4 maincoder mamba mamba2 mellum mimo2 minicpm minicpm3 minimax-01 minimax-m2 minimax-m3
  mistral3 mistral4 modern-bert mpt muse-glimmer nanbeige nemotron nemotron_h nemotron_h_moe neo-bert
  nomic-bert nomic-bert-moe olmo olmo2 olmoe openelm orion paddleocr pangu-embedded phi2 phi3 phimoe plamo
  plamo2 plamo3 plm pockettts qwen qwen2 qwen2moe qwen2vl qwen3 qwen35 qwen35moe qwen3moe qwen3next
  qwen3tts qwen3vl qwen3vlmoe qwen4exp refact rnd1 rwkv6 rwkv6qwen2 rwkv7 seed_oss smallthinker smollm3
  stablelm starcoder starcoder2 step35 t5 t5encoder talkie wavtokenizer-dec xverse
`;

/** Values of `general.architecture` that the engine can load; others are refused before native code opens the file. */
export const architectures: ReadonlySet<string> = new Set(names.trim().split(/\s+/));

/**
 * Writes text models that see or hear: a small model with random weights and a projector beside it (`mmproj-...gguf`), for the families that
 * differ in how libmtmd lays out and evaluates media. What each file has is what clip.cpp of llama.cpp requires.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelSpec } from "./gguf-writer.js";
import { writeModel } from "./gguf-writer.js";
import { type GgufEntryValue, type GgufTensor } from "./gguf-writer/encode.js";
import { piecesOf } from "./gguf-writer/pieces.js";
import { weightBytes, weightTypeNumbers, type WeightType } from "./gguf-writer/weights.js";

/** Sizes of an encoder, and of the model that it is made for. */
interface ProjectorShape {
  readonly embedding: number;
  readonly layers: number;
  readonly heads: number;
  readonly feedForward: number;
  /** Length of the text model's embeddings. */
  readonly text: number;
  readonly image: number;
  readonly patch: number;
  /** Patches of a side that become one embedding; of `idefics3` only. */
  readonly merge: number;
  /** Type of the matrices. */
  readonly weights: WeightType;
}

/** Dimensions of tensors by name, fastest first. */
type Tensors = Readonly<Record<string, readonly number[]>>;

interface Family {
  readonly type: string;
  readonly reads: "vision" | "audio";
  readonly shape?: Partial<ProjectorShape>;
  /** By key without `clip.`. */
  readonly metadata: Readonly<Record<string, GgufEntryValue>>;
  /** The same where it depends on the sizes. */
  readonly sized?: (shape: ProjectorShape) => Readonly<Record<string, GgufEntryValue>>;
  readonly tensors: (shape: ProjectorShape) => Tensors;
  /** Tensors of a layer, beside attention and the two matrices of the feed-forward net. */
  readonly layer?: (shape: ProjectorShape) => Tensors;
  /** Whether its norms have biases; absent = true. */
  readonly normBiases?: boolean;
  /** Whether a norm follows the last layer; absent = true. */
  readonly lastNorm?: boolean;
  /** Changes of the text model. */
  readonly model: Partial<ModelSpec>;
}

const shape: ProjectorShape = {
  embedding: 64,
  layers: 2,
  heads: 2,
  feedForward: 128,
  text: 64,
  image: 64,
  patch: 16,
  merge: 2,
  weights: "F32",
};

const u32 = (value: number): GgufEntryValue => ({ type: "u32", value });
const bool = (value: boolean): GgufEntryValue => ({ type: "bool", value });
const patches = ({ image, patch }: ProjectorShape): number => (image / patch) ** 2;
const positions = (size: ProjectorShape): Tensors => ({
  "v.position_embd.weight": [size.embedding, patches(size)],
});
const patchBias = ({ embedding }: ProjectorShape): Tensors => ({ "v.patch_embd.bias": [embedding] });
const audioInput = ({ embedding }: ProjectorShape, melBins: number): Tensors => ({
  "a.conv1d.1.weight": [3, melBins, embedding],
  "a.conv1d.1.bias": [1, embedding],
  "a.conv1d.2.weight": [3, embedding, embedding],
  "a.conv1d.2.bias": [1, embedding],
  "a.position_embd.weight": [embedding, 1500],
});
const melBins = 80;
const merge = 2;

const tiles = Array.from({ length: 36 }, (_, at) => `<row_${Math.floor(at / 6) + 1}_col_${(at % 6) + 1}>`);

const families = {
  /** SmolVLM: tiles of an image and the whole image, each with marks around it. */
  idefics3: {
    type: "idefics3",
    reads: "vision",
    metadata: { use_gelu: bool(true) },
    sized: ({ image, merge: side }) => ({
      "vision.projector.scale_factor": u32(side),
      "vision.preproc_image_size": u32(4 * image),
    }),
    tensors: (size) => ({
      ...patchBias(size),
      ...positions(size),
      "mm.model.fc.weight": [size.embedding * size.merge ** 2, size.text],
    }),
    model: {
      architecture: "llama",
      words: ["\n\n", "hello", "world"],
      controlTokens: ["<fake_token_around_image>", "<global-img>", "<image>", ...tiles],
    },
  },
  /** Positions in three dimensions. */
  qwen2vl: {
    type: "qwen2vl_merger",
    reads: "vision",
    shape: { image: 56, patch: 14 },
    metadata: {},
    tensors: qwenMerger,
    model: {
      architecture: "qwen2vl",
      controlTokens: ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>"],
    },
  },
  /** The same with windows of attention. */
  qwen25vl: {
    type: "qwen2.5vl_merger",
    reads: "vision",
    shape: { image: 56, patch: 14 },
    metadata: { use_silu: bool(true), "vision.n_wa_pattern": u32(2), "vision.window_size": u32(112) },
    tensors: qwenMerger,
    layer: ({ embedding, feedForward }) => ({ "ffn_gate.weight": [embedding, feedForward] }),
    normBiases: false,
    model: {
      architecture: "qwen2vl",
      controlTokens: ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>"],
    },
  },
  /** Attention in both directions within an image. */
  gemma3: {
    type: "gemma3",
    reads: "vision",
    shape: { image: 128 },
    metadata: { use_gelu: bool(true), "vision.projector.scale_factor": u32(merge) },
    tensors: (size) => ({
      ...patchBias(size),
      ...positions(size),
      "mm.input_projection.weight": [size.text, size.embedding],
      "mm.soft_emb_norm.weight": [size.embedding],
    }),
    model: { architecture: "gemma3", controlTokens: ["<start_of_image>", "<end_of_image>"] },
  },
  /** LLaVA 1.6: an overview and tiles in a grid that fits the image. */
  llava: {
    type: "mlp",
    reads: "vision",
    metadata: {
      "vision.image_grid_pinpoints": { aggregateArrays: "i32", values: [64, 128, 128, 64, 128, 128] },
      "vision.mm_patch_merge_type": { type: "string", value: "spatial_unpad" },
    },
    tensors: (size) => ({
      "v.class_embd": [size.embedding],
      "v.position_embd.weight": [size.embedding, patches(size) + 1],
      "v.pre_ln.weight": [size.embedding],
      "v.pre_ln.bias": [size.embedding],
      "mm.0.weight": [size.embedding, size.text],
      "mm.0.bias": [size.text],
      "mm.2.weight": [size.text, size.text],
      "mm.2.bias": [size.text],
      "v.image_newline": [size.text],
    }),
    model: { architecture: "llama" },
  },
  internvl: {
    type: "internvl",
    reads: "vision",
    metadata: {
      use_gelu: bool(true),
      "vision.projector.scale_factor": u32(merge),
      "vision.preproc_min_tiles": u32(1),
      "vision.preproc_max_tiles": u32(4),
    },
    tensors: (size) => ({
      ...patchBias(size),
      "v.class_embd": [size.embedding],
      "v.position_embd.weight": [size.embedding, patches(size) + 1],
      "mm.model.mlp.0.weight": [size.embedding * merge ** 2],
      "mm.model.mlp.0.bias": [size.embedding * merge ** 2],
      "mm.model.mlp.1.weight": [size.embedding * merge ** 2, size.text],
      "mm.model.mlp.1.bias": [size.text],
      "mm.model.mlp.3.weight": [size.text, size.text],
      "mm.model.mlp.3.bias": [size.text],
    }),
    layer: ({ embedding }) => ({ "ls1.weight": [embedding], "ls2.weight": [embedding] }),
    lastNorm: false,
    model: { architecture: "qwen2", controlTokens: ["<img>", "</img>"] },
  },
  /** Images of any size, a mark after each row. */
  pixtral: {
    type: "pixtral",
    reads: "vision",
    metadata: { use_silu: bool(true) },
    tensors: (size) => ({
      "v.pre_ln.weight": [size.embedding],
      "mm.1.weight": [size.embedding, size.text],
      "mm.1.bias": [size.text],
      "mm.2.weight": [size.text, size.text],
      "mm.2.bias": [size.text],
      "v.token_embd.img_break": [size.text],
    }),
    layer: ({ embedding, feedForward }) => ({ "ffn_gate.weight": [embedding, feedForward] }),
    normBiases: false,
    lastNorm: false,
    model: { architecture: "llama", controlTokens: ["[IMG_END]"] },
  },
  voxtral: {
    type: "voxtral",
    reads: "audio",
    metadata: { "audio.num_mel_bins": u32(melBins), "audio.projector.stack_factor": u32(2) },
    tensors: (size) => ({
      ...audioInput(size, melBins),
      "mm.a.mlp.1.weight": [size.embedding * 2, size.text * 2],
      "mm.a.mlp.2.weight": [size.text * 2, size.text],
    }),
    model: { architecture: "llama", controlTokens: ["[BEGIN_AUDIO]"] },
  },
  /** llama.cpp asserts that frames divide by its stack factor, which they do not: it ends llama-server. */
  ultravox: {
    type: "ultravox",
    reads: "audio",
    metadata: { "audio.num_mel_bins": u32(melBins), "audio.projector.stack_factor": u32(8) },
    tensors: (size) => ({
      ...audioInput(size, melBins),
      "mm.a.norm_pre.weight": [size.embedding * 8],
      "mm.a.norm_mid.weight": [size.text],
      "mm.a.mlp.1.weight": [size.embedding * 8, size.text * 2],
      "mm.a.mlp.2.weight": [size.text, size.text],
    }),
    model: { architecture: "llama", controlTokens: ["<|audio|>"] },
  },
} as const satisfies Readonly<Record<string, Family>>;

export type SeeingFamily = keyof typeof families;

export const seeingFamilies = Object.keys(families) as readonly SeeingFamily[];

/** A model that was written. */
interface WrittenModel {
  readonly model: string;
  readonly projector: string;
}

/**
 * Writes `NAME.gguf` and `mmproj-NAME.gguf` into a folder.
 * @param changes of the text model, on top of the family's
 */
export async function writeSeeingModel(
  folder: string,
  name: SeeingFamily,
  changes: Partial<ModelSpec> & { readonly shape?: Partial<ProjectorShape> } = {},
): Promise<WrittenModel> {
  const { shape: sizes, ...rest } = changes;
  const family: Family = families[name];
  const written = { model: join(folder, `${name}.gguf`), projector: join(folder, `mmproj-${name}.gguf`) };
  mkdirSync(folder, { recursive: true });
  await writeModel(written.model, { name, weights: "F32", writesAscii: true, ...family.model, ...rest });
  writeFileSync(written.projector, projectorBytes(name, { text: rest.embedding ?? shape.text, ...sizes }));
  return written;
}

/** Returns a projector as bytes. */
export function projectorBytes(name: SeeingFamily, changes: Partial<ProjectorShape> = {}): Buffer {
  const family: Family = families[name];
  const size = { ...shape, ...family.shape, ...changes };
  const header = { metadata: projectorMetadata(family, size), tensors: projectorTensors(family, size) };
  return Buffer.concat([...piecesOf(header, { seed: 7 })]);
}

function projectorMetadata(family: Family, size: ProjectorShape): Map<string, GgufEntryValue> {
  const { reads, type, metadata } = family;
  const halves = { aggregateArrays: "f32", values: [0.5, 0.5, 0.5] } as const;
  return new Map<string, GgufEntryValue>([
    ["general.architecture", { type: "string", value: "clip" }],
    ["general.type", { type: "string", value: "mmproj" }],
    [`clip.has_${reads}_encoder`, bool(true)],
    ["clip.projector_type", { type: "string", value: type }],
    [`clip.${reads}.embedding_length`, u32(size.embedding)],
    [`clip.${reads}.feed_forward_length`, u32(size.feedForward)],
    [`clip.${reads}.block_count`, u32(size.layers)],
    [`clip.${reads}.projection_dim`, u32(size.text)],
    [`clip.${reads}.attention.head_count`, u32(size.heads)],
    [`clip.${reads}.attention.layer_norm_epsilon`, { type: "f32", value: 1e-6 }],
    ...(reads === "audio"
      ? []
      : ([
          ["clip.vision.image_size", u32(size.image)],
          ["clip.vision.patch_size", u32(size.patch)],
          ["clip.vision.image_mean", halves],
          ["clip.vision.image_std", halves],
        ] as const)),
    ...Object.entries({ ...metadata, ...family.sized?.(size) }).map(
      ([key, value]) => [`clip.${key}`, value] as const,
    ),
  ]);
}

function projectorTensors(family: Family, size: ProjectorShape): readonly GgufTensor[] {
  const { reads, layer, normBiases = true, lastNorm = true } = family;
  const { embedding, feedForward, patch } = size;
  const prefix = reads === "audio" ? "a" : "v";
  const norm = (name: string): Tensors => ({
    [`${name}.weight`]: [embedding],
    ...(normBiases ? { [`${name}.bias`]: [embedding] } : {}),
  });
  const tensors: Record<string, readonly number[]> = {};
  if (reads === "vision") tensors["v.patch_embd.weight"] = [patch, patch, 3, embedding];
  Object.assign(tensors, family.tensors(size), lastNorm ? norm(`${prefix}.post_ln`) : {});
  for (let at = 0; at < size.layers; at += 1) {
    const own: Tensors = {
      "attn_q.weight": [embedding, embedding],
      "attn_q.bias": [embedding],
      "attn_k.weight": [embedding, embedding],
      ...(reads === "audio" ? {} : { "attn_k.bias": [embedding] }),
      "attn_v.weight": [embedding, embedding],
      "attn_v.bias": [embedding],
      "attn_out.weight": [embedding, embedding],
      "attn_out.bias": [embedding],
      ...norm("ln1"),
      ...norm("ln2"),
      "ffn_up.weight": [embedding, feedForward],
      "ffn_up.bias": [feedForward],
      "ffn_down.weight": [feedForward, embedding],
      "ffn_down.bias": [embedding],
      ...layer?.(size),
    };
    for (const [name, dimensions] of Object.entries(own)) tensors[`${prefix}.blk.${at}.${name}`] = dimensions;
  }
  return Object.entries(tensors).map(([name, dimensions]) => {
    // The graph of a convolution takes no other type, and positions are added to embeddings.
    const isMatrix = dimensions.length > 1 && !name.includes("position_embd");
    const type =
      name.startsWith("a.conv1d") && dimensions.length > 2 ? "F16" : isMatrix ? size.weights : "F32";
    const elements = dimensions.reduce((product, length) => product * length, 1);
    return { name, dimensions, type: weightTypeNumbers[type], bytes: weightBytes(type, elements) };
  });
}

function qwenMerger({ embedding, patch, text }: ProjectorShape): Tensors {
  const merged = embedding * 4;
  return {
    "v.patch_embd.weight.1": [patch, patch, 3, embedding],
    "mm.0.weight": [merged, merged],
    "mm.0.bias": [merged],
    "mm.2.weight": [merged, text],
    "mm.2.bias": [text],
  };
}

/** What the files of each architecture contain: their metadata and tensors, with the names that llama.cpp reads. */
import type { GgufEntryValue } from "./encode.js";

/** Sizes of a model. */
export interface Shape {
  readonly embedding: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly feedForward: number;
}

/** Dimensions of tensors by name, fastest first. */
export type TensorShapes = Readonly<Record<string, readonly number[]>>;

export interface Architecture {
  /** Metadata beside what all models have, by key without the architecture's name; `layers` is the number of layers. */
  readonly metadata?: (shape: Shape, layers: number) => Readonly<Record<string, GgufEntryValue>>;
  /** The tensors of layer `at`, by name without `blk.N.`. */
  readonly layer: (shape: Shape, at: number) => TensorShapes;
  /** Tensors outside of layers, beside the embedding, the last norm and the output head. */
  readonly whole?: (shape: Shape) => TensorShapes;
  /** Name of the last norm; absent: `output_norm`. */
  readonly lastNorm?: string;
  /** The output head is always the embedding. */
  readonly alwaysTied?: true;
}

const experts = 4;
const expertWidth = 64;
/** Tokens of a sliding window: fewer than an ordinary prompt has. */
const window = 64;
const multiHeadLatent = { rank: 32, rope: 32, plain: 32, value: 32 } as const;

const u32 = (value: number): GgufEntryValue => ({ type: "u32", value });
const f32 = (value: number): GgufEntryValue => ({ type: "f32", value });

const headSize = ({ embedding, heads }: Shape): number => embedding / heads;
const keyWidth = (shape: Shape): number => headSize(shape) * shape.kvHeads;

const inputNorm = ({ embedding }: Shape): TensorShapes => ({ "attn_norm.weight": [embedding] });

const attention = (shape: Shape): TensorShapes => ({
  "attn_q.weight": [shape.embedding, shape.embedding],
  "attn_k.weight": [shape.embedding, keyWidth(shape)],
  "attn_v.weight": [shape.embedding, keyWidth(shape)],
  "attn_output.weight": [shape.embedding, shape.embedding],
});

/** One matrix for queries, keys and values. */
const fusedAttention = (shape: Shape): TensorShapes => ({
  "attn_qkv.weight": [shape.embedding, shape.embedding + 2 * keyWidth(shape)],
  "attn_output.weight": [shape.embedding, shape.embedding],
});

const attentionBiases = (shape: Shape): TensorShapes => ({
  "attn_q.bias": [shape.embedding],
  "attn_k.bias": [keyWidth(shape)],
  "attn_v.bias": [keyWidth(shape)],
});

const headNorms = (shape: Shape): TensorShapes => ({
  "attn_q_norm.weight": [headSize(shape)],
  "attn_k_norm.weight": [headSize(shape)],
});

const feedForward = ({ embedding, feedForward: width }: Shape): TensorShapes => ({
  "ffn_norm.weight": [embedding],
  "ffn_gate.weight": [embedding, width],
  "ffn_up.weight": [embedding, width],
  "ffn_down.weight": [width, embedding],
});

/** Gate and up as one matrix. */
const fusedFeedForward = ({ embedding, feedForward: width }: Shape): TensorShapes => ({
  "ffn_norm.weight": [embedding],
  "ffn_up.weight": [embedding, 2 * width],
  "ffn_down.weight": [width, embedding],
});

const expertMatrices = ({ embedding }: Shape): TensorShapes => ({
  "ffn_gate_inp.weight": [embedding, experts],
  "ffn_gate_exps.weight": [embedding, expertWidth, experts],
  "ffn_up_exps.weight": [embedding, expertWidth, experts],
  "ffn_down_exps.weight": [expertWidth, embedding, experts],
});

const postNorms = ({ embedding }: Shape): TensorShapes => ({
  "post_attention_norm.weight": [embedding],
  "post_ffw_norm.weight": [embedding],
});

const expertMetadata = {
  expert_count: u32(experts),
  expert_used_count: u32(2),
  expert_feed_forward_length: u32(expertWidth),
};

const yarn: Readonly<Record<string, GgufEntryValue>> = {
  "rope.scaling.type": { type: "string", value: "yarn" },
  "rope.scaling.factor": f32(4),
  "rope.scaling.original_context_length": u32(512),
};

const joined =
  (...parts: readonly ((shape: Shape) => TensorShapes)[]) =>
  (shape: Shape): TensorShapes =>
    Object.assign({}, ...parts.map((part) => part(shape))) as TensorShapes;

const llama = joined(inputNorm, attention, feedForward);
const qwen3 = joined(llama, headNorms);

/** Latent attention; the first layer is dense, the others have experts and a shared one. */
function deepseekLayer(shape: Shape, at: number): TensorShapes {
  const { embedding, heads } = shape;
  const { rank, rope, plain, value } = multiHeadLatent;
  const latent: TensorShapes = {
    "attn_q_a.weight": [embedding, rank],
    "attn_q_a_norm.weight": [rank],
    "attn_q_b.weight": [rank, heads * (plain + rope)],
    "attn_kv_a_mqa.weight": [embedding, rank + rope],
    "attn_kv_a_norm.weight": [rank],
    "attn_k_b.weight": [plain, rank, heads],
    "attn_v_b.weight": [rank, value, heads],
    "attn_output.weight": [heads * value, embedding],
  };
  const sparse: TensorShapes = {
    "ffn_norm.weight": [embedding],
    "exp_probs_b.bias": [experts],
    "ffn_gate_shexp.weight": [embedding, expertWidth],
    "ffn_up_shexp.weight": [embedding, expertWidth],
    "ffn_down_shexp.weight": [expertWidth, embedding],
  };
  return joined(
    inputNorm,
    () => latent,
    at === 0 ? feedForward : joined(() => sparse, expertMatrices),
  )(shape);
}

const gptOssLayer = joined(
  inputNorm,
  attention,
  attentionBiases,
  ({ embedding, heads }) => ({
    "attn_output.bias": [embedding],
    "attn_sinks.weight": [heads],
    "post_attention_norm.weight": [embedding],
  }),
  expertMatrices,
  ({ embedding }) => ({
    "ffn_gate_inp.bias": [experts],
    "ffn_gate_exps.bias": [expertWidth, experts],
    "ffn_up_exps.bias": [expertWidth, experts],
    "ffn_down_exps.bias": [embedding, experts],
  }),
);

/** Convolution in even layers, attention in odd ones. */
function lfm2Layer(shape: Shape, at: number): TensorShapes {
  const { embedding } = shape;
  const convolution: TensorShapes = {
    "shortconv.conv.weight": [3, embedding],
    "shortconv.in_proj.weight": [embedding, 3 * embedding],
    "shortconv.out_proj.weight": [embedding, embedding],
  };
  const mixing = at % 2 === 0 ? () => convolution : joined(attention, headNorms);
  return joined(inputNorm, mixing, feedForward)(shape);
}

const architectures = {
  llama: { layer: llama },
  mistral3: { layer: llama },
  smollm3: { layer: llama },
  granite: {
    layer: llama,
    metadata: () => ({
      logit_scale: f32(8),
      residual_scale: f32(0.22),
      embedding_scale: f32(12),
      "attention.scale": f32(0.0156),
    }),
  },
  qwen2: { layer: joined(llama, attentionBiases) },
  /** Positions in three dimensions: of time, height and width. */
  qwen2vl: {
    layer: joined(llama, attentionBiases),
    metadata: (shape) => ({
      "rope.dimension_sections": {
        aggregateArrays: "i32",
        values: [headSize(shape) / 8, (headSize(shape) * 3) / 16, (headSize(shape) * 3) / 16, 0],
      },
    }),
  },
  qwen3: { layer: qwen3 },
  qwen3moe: {
    layer: joined(
      inputNorm,
      attention,
      headNorms,
      ({ embedding }) => ({
        "ffn_norm.weight": [embedding],
      }),
      expertMatrices,
    ),
    metadata: () => expertMetadata,
  },
  gemma2: {
    layer: joined(llama, postNorms),
    metadata: () => ({
      "attention.sliding_window": u32(window),
      attn_logit_softcapping: f32(50),
      final_logit_softcapping: f32(30),
    }),
    alwaysTied: true,
  },
  gemma3: {
    layer: joined(qwen3, postNorms),
    metadata: () => ({ "attention.sliding_window": u32(window) }),
  },
  deepseek2: {
    layer: deepseekLayer,
    metadata: () => {
      const { rank, rope, plain, value } = multiHeadLatent;
      return {
        ...expertMetadata,
        "attention.head_count_kv": u32(1),
        "attention.q_lora_rank": u32(rank),
        "attention.kv_lora_rank": u32(rank),
        "attention.key_length": u32(rank + rope),
        "attention.value_length": u32(rank),
        "attention.key_length_mla": u32(plain + rope),
        "attention.value_length_mla": u32(value),
        "rope.dimension_count": u32(rope),
        leading_dense_block_count: u32(1),
        expert_shared_count: u32(1),
        expert_weights_scale: f32(2.5),
        expert_weights_norm: { type: "bool", value: true },
        expert_gating_func: u32(2),
        ...yarn,
      };
    },
  },
  "gpt-oss": {
    layer: gptOssLayer,
    metadata: () => ({ ...expertMetadata, ...yarn, "attention.sliding_window": u32(window) }),
  },
  phi3: {
    layer: joined(inputNorm, fusedAttention, fusedFeedForward),
    metadata: () => ({
      "rope.scaling.original_context_length": u32(512),
      "rope.scaling.attn_factor": f32(1.19),
    }),
    whole: (shape) => ({
      "rope_factors_long.weight": [headSize(shape) / 2],
      "rope_factors_short.weight": [headSize(shape) / 2],
    }),
  },
  glm4: { layer: joined(inputNorm, attention, fusedFeedForward, postNorms) },
  olmo2: {
    layer: joined(
      attention,
      (shape) => ({
        "attn_q_norm.weight": [shape.embedding],
        "attn_k_norm.weight": [keyWidth(shape)],
      }),
      ({ embedding, feedForward: width }) => ({
        "ffn_gate.weight": [embedding, width],
        "ffn_up.weight": [embedding, width],
        "ffn_down.weight": [width, embedding],
      }),
      postNorms,
    ),
  },
  lfm2: {
    layer: lfm2Layer,
    metadata: ({ kvHeads }, layers) => ({
      "shortconv.l_cache": u32(3),
      "attention.head_count_kv": {
        aggregateArrays: "i32",
        values: Array.from({ length: layers }, (_, at) => (at % 2 === 0 ? 0 : kvHeads)),
      },
    }),
    lastNorm: "token_embd_norm",
  },
} as const satisfies Readonly<Record<string, Architecture>>;

export type ArchitectureName = keyof typeof architectures;

export function architectureOf(name: ArchitectureName): Architecture {
  return architectures[name];
}

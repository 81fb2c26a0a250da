import { getLlama, LlamaLogLevel, type Token } from "node-llama-cpp";

/** Cuts texts into a model's tokens; marks such as `<|im_end|>` are control tokens. */
export interface ServerVocabulary {
  readonly endToken: number;
  encode(text: string, readsMarks: boolean): readonly number[];
  decode(tokens: readonly number[]): string;
  close(): Promise<void>;
}

/** Loads the vocabulary of a GGUF file. */
export async function openVocabulary(file: string): Promise<ServerVocabulary> {
  const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.error });
  const model = await llama.loadModel({ modelPath: file, vocabOnly: true, gpuLayers: 0 });
  const { eot, eos } = model.tokens;
  return {
    endToken: eot ?? eos ?? 0,
    encode: (text, readsMarks) => model.tokenize(text, readsMarks, "trimLeadingSpace"),
    decode: (tokens) => model.detokenize([...tokens] as Token[], true),
    async close() {
      await model.dispose();
      await llama.dispose();
    },
  };
}

/** Answers of OpenAI's `/v1/embeddings`, with token ids in, as vLLM (entrypoints/pooling/embed) and SGLang (serving_embedding.py) write them. */

/** Numbers that differ with the tokens; not of length 1. */
export function vectorOf(tokens: readonly number[]): readonly number[] {
  return [tokens.length, ...[1, 2, 3].map((step) => tokens.reduce((sum, id) => sum + (id % (step + 1)), 0))];
}

/** @param knowsBase64 whether it has `encoding_format`; else it ignores it */
export function embeddingsAnswer(body: Readonly<Record<string, unknown>>, knowsBase64: boolean): object {
  const inputs = body["input"] as readonly (readonly number[])[];
  const isBase64 = knowsBase64 && body["encoding_format"] === "base64";
  const tokens = inputs.reduce((sum, input) => sum + input.length, 0);
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input);
    const embedding = isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector;
    return { object: "embedding", index, embedding };
  });
  return {
    object: "list",
    data: data.toReversed(),
    model: body["model"],
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

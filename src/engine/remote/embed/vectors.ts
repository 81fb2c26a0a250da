/** Asks servers for vectors through the `/v1/embeddings` that all kinds have, with token ids in. */
import { z } from "zod";
import { engineFailed } from "../errors.js";
import { postJson, type Server } from "../http.js";
import type { RemoteKind } from "../protocol.js";

/** Inputs of one request: its answer stays within what is read of one. */
const inputsMax = 64;

/** Where vectors are computed. */
interface VectorTarget {
  readonly server: Server;
  readonly kind: RemoteKind;
  readonly modelName: string;
}

const answerSchema = z.object({
  data: z.array(
    z.object({ index: z.number().int().min(0), embedding: z.union([z.string(), z.array(z.number())]) }),
  ),
  usage: z.object({ prompt_tokens: z.number().int() }),
});

/**
 * Returns the vector of each input, in their order.
 * @throws HearthError `model_unavailable`, also where the server has read another number of tokens than were sent.
 */
export async function fetchVectors(
  target: VectorTarget,
  inputs: readonly Uint32Array[],
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < inputs.length; at += inputsMax) {
    vectors.push(...(await fetchSome(target, inputs.slice(at, at + inputsMax), signal)));
    heard();
  }
  return vectors;
}

async function fetchSome(
  target: VectorTarget,
  inputs: readonly Uint32Array[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { server, kind, modelName } = target;
  const { url } = server;
  const body = {
    model: modelName,
    input: inputs.map((tokens) => [...tokens]),
    // SGLang knows numbers only.
    encoding_format: kind === "sglang" ? "float" : "base64",
  };
  const { data: answer } = answerSchema.safeParse(await postJson(server, "/v1/embeddings", body, signal));
  if (answer === undefined) throw engineFailed(url, "its answer to /v1/embeddings has no vectors");
  const sent = inputs.reduce((sum, tokens) => sum + tokens.length, 0);
  const { prompt_tokens: read } = answer.usage;
  if (read !== sent) throw engineFailed(url, `it has read ${read} prompt tokens, and ${sent} were sent`);
  const byIndex = new Map(answer.data.map(({ index, embedding }) => [index, readNumbers(embedding)]));
  const vectors = inputs.map((_, index) => byIndex.get(index) ?? new Float32Array());
  const [{ length } = new Float32Array()] = vectors;
  const areVectors = vectors.every((vector) => vector.length === length && vector.every(Number.isFinite));
  if (length === 0 || !areVectors) throw engineFailed(url, "its vectors are not one for each input");
  return vectors;
}

/** Reads numbers, or the base64 of 32-bit numbers, least significant byte first. */
function readNumbers(embedding: string | readonly number[]): Float32Array {
  if (typeof embedding !== "string") return Float32Array.from(embedding);
  const bytes = Buffer.from(embedding, "base64");
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(4 * at));
}

import { encodeEmbedding, encodeEmbeddingUsage } from "../../dialects/openai-embeddings/encode.js";
import { parseEmbeddingRequest } from "../../dialects/openai-embeddings/parse.js";
import type { EmbeddingRequest } from "../../core/embeddings/request.js";
import type { Embedder } from "../../inference/embeddings/embed.js";
import type { Evaluated } from "../../inference/embeddings/embedding-run.js";
import type { RunContext } from "../../inference/run/run-context.js";
import type { JobRun } from "../handler.js";
import { admitEmbedding } from "../../answers/embeddings.js";
import type { Asking } from "../../answers/endpoint.js";
import type { AdmittedLine, LineContext } from "./admitted-line.js";

/** Admits the request of a line that embeds texts. @throws HearthError as the route does. */
export async function embeddingLine(app: LineContext, asking: Asking): Promise<AdmittedLine> {
  const { embedder, pricePercent } = app;
  const { request, format } = parseEmbeddingRequest(asking.body);
  const reservation = await admitEmbedding(app, asking, request);
  let evaluated: Evaluated | null = null;
  return {
    reservation,
    start: (context) =>
      startEmbedding(embedder, request, { ...context, pricePercent }, (result) => (evaluated = result)),
    add: () => undefined,
    warnings: () => [],
    writes: () => [],
    answer() {
      if (evaluated === null) throw new Error("the run is not complete");
      const data = evaluated.vectors.map((vector, index) => encodeEmbedding(vector, index, format));
      return JSON.stringify({ data, ...encodeEmbeddingUsage(request.model, evaluated) });
    },
  };
}

function startEmbedding(
  embedder: Embedder,
  request: EmbeddingRequest,
  context: RunContext,
  onEvaluated: (evaluated: Evaluated) => void,
): JobRun {
  const aborting = new AbortController();
  let isRecorded = false;
  const running = embedder.embed(request, context, aborting.signal, (end, evaluated) => {
    isRecorded = true;
    if (evaluated !== null) onEvaluated(evaluated);
    return context.recorder === undefined ? [] : context.recorder.writes(end);
  });
  const ended = running.then(
    () => undefined,
    (thrown: unknown) => {
      // The recorder has written the failure of a run that had started.
      if (!isRecorded) throw thrown;
    },
  );
  return { abort: () => aborting.abort(), ended };
}

import { chatWhole } from "../../world/client.js";
import type { BenchModel } from "../../world/models.js";
import { spawnServer } from "../../world/server.js";
import type { Contender, Terms } from "./contender.js";

/** Hearth as its users run it: a server process, one streaming HTTP request per client. */
export async function startHearth(model: BenchModel, terms: Terms): Promise<Contender> {
  const server = await spawnServer({
    HEARTH_MODELS: model.folder,
    HEARTH_SLOTS_PER_MODEL: String(terms.slots),
    HEARTH_CONTEXT_TOKENS_MAX: String(terms.contextTokens),
    HEARTH_PREFILL_CHUNK_TOKENS: String(terms.chunkTokens),
  });
  return {
    name: "Hearth",
    answer: (prompts, maxTokens) =>
      Promise.all(
        prompts.map(async ({ content }) => {
          const answer = await chatWhole(server, { model: model.id, content, maxTokens, stream: true });
          return { ...answer, tokens: answer.completionTokens };
        }),
      ),
    close: () => server.stop(),
  };
}

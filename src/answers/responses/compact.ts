/** Summaries of conversations, from which a later request continues. */
import {
  foldCompaction,
  parseCompactRequest,
  type CompactRequest,
} from "../../dialects/openai-responses/compact.js";
import type { ReadyRequest, TextEndpoint } from "../endpoint.js";
import { joinItems, findItems } from "./conversation-items.js";

interface ReadCompaction {
  readonly request: CompactRequest;
}

export const compaction: TextEndpoint<ReadCompaction, ReadyRequest> = {
  takesFiles: true,
  parse: (_asking, whole) => ({ request: parseCompactRequest(whole) }),
  async load({ principal }, { request: parsed }, app) {
    const items = await findItems(app, parsed, principal.team.id);
    return { request: parsed.generation(joinItems(items)), stream: false };
  },
  present(_ready, { id: runId, createTime, model, modelName }) {
    const id = `cmp_${runId.replaceAll("-", "")}`;
    const created = Math.floor(createTime / 1000);
    return {
      json() {
        const fold = foldCompaction({ id, created, model, modelName });
        return { add: (event) => fold.add(event), body: () => fold.result() };
      },
    };
  },
};

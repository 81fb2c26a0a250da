import { parseCompactRequest } from "../../../../../src/dialects/openai-responses/compact.js";
import {
  generationRequest,
  parseResponsesRequest,
  withToolsOfItems,
} from "../../../../../src/dialects/openai-responses/parse.js";
import { bodyTarget } from "./body-target.js";

/** A body of /v1/responses, or with the field `compact` of /v1/responses/compact. */
export const target = bodyTarget("responses", (body, text) => {
  if (typeof body === "object" && body !== null && "compact" in body) {
    const compaction = parseCompactRequest(body);
    return compaction.generation(compaction.input);
  }
  const parsed = parseResponsesRequest(body, text);
  return generationRequest(withToolsOfItems(parsed, parsed.input), parsed.input);
});

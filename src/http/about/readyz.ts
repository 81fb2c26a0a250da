import { z } from "zod";
import type { ModelRegistry } from "../../core/model.js";
import { openaiError } from "../../dialects/error-schema.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { publicRoute } from "../server/route.js";

/** Models that are named at most, since anyone may read them. */
const detailsMax = 100;

function unusableModels(models: ModelRegistry): readonly string[] {
  const unusable = models.list().filter((model) => model.unusable !== null);
  return unusable
    .slice(0, detailsMax)
    .map(({ manifest, unusable: reason }) => `the model '${manifest.id}' cannot be used: ${reason ?? ""}`);
}

const ready = responseObject({
  status: z.literal("ok"),
  details: responseArray(z.string())
    .optional()
    .describe(
      "The models that cannot be used, or whose remote engines do not answer, each with the reason, and why rate limits are not counted in Redis; absent when there are none.",
    ),
}).meta({ id: "ReadyStatus" });
const notReady = responseObject({
  status: z.literal("unavailable"),
  reasons: responseArray(z.string()),
}).meta({
  id: "NotReadyStatus",
});

/** GET /readyz: returns 200 when the server can accept work, otherwise 503 with the reasons. */
export const getReadiness = publicRoute({
  method: "GET",
  path: "/readyz",
  docs: {
    operation: "getReadiness",
    tag: "Server",
    summary: "Check whether the server can accept work",
    answers: {
      200: { description: "The server can accept work.", schema: ready },
      503: { description: "It cannot, with the reasons.", schema: z.union([notReady, openaiError]) },
    },
  },
  async handle({ ctx }, app) {
    const reasons = await app.ready();
    const details = [...unusableModels(app.models), ...app.remoteProblems().slice(0, detailsMax)];
    ctx.status = reasons.length === 0 ? 200 : 503;
    ctx.body =
      reasons.length > 0
        ? { status: "unavailable", reasons }
        : { status: "ok", details: details.length === 0 ? undefined : details };
  },
});

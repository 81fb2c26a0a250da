/** GET /auth/api-keys/{apiKeyId}/propagation: whether the last change of a key has reached all servers. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { clusterName } from "../../../dialects/management/answers.js";
import { managementRoute } from "../../server/route.js";

const propagation = responseObject({
  icPropagation: z
    .record(z.string(), z.boolean())
    .readonly()
    .describe(
      "Whether the change is in effect, by name of the cluster, or of each server of several that share a database.",
    ),
}).meta({ id: "ApiKeyPropagation" });

/** Returns true for every server: each request reads its key from the database, so that changes are in effect at once. */
export const getApiKeyPropagation = managementRoute({
  method: "GET",
  path: "/auth/api-keys/:apiKeyId/propagation",
  acl: "CheckApiKeyPropagation",
  docs: {
    operation: "getApiKeyPropagation",
    tag: "Accounts",
    summary: "Check whether a change of an API key is in effect",
    params: { apiKeyId: "Id of an API key." },
    answers: { 200: { description: "The state by cluster.", schema: propagation } },
  },
  async handle({ ctx, manager, params }, { accounts, serverNames }) {
    await accounts.keys.find(params["apiKeyId"] ?? "", toActor(manager));
    const names = await serverNames();
    const answer: z.infer<typeof propagation> = {
      icPropagation: Object.fromEntries(
        (names.length === 0 ? [clusterName] : names).map((name) => [name, true]),
      ),
    };
    ctx.body = answer;
  },
});

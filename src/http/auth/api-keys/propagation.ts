/** GET /auth/api-keys/{apiKeyId}/propagation: whether a key's last change has arrived everywhere it is asked for. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import { shape } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import { clusterName } from "../../management/cluster.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const propagation = shape({
  icPropagation: z.record(z.string(), z.boolean()).readonly().describe("By the name of a cluster."),
}).meta({ id: "ApiKeyPropagation" });

/** Tells. Each request looks its key up where changes are made: what is changed has arrived. */
export function tellPropagation({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    await accounts.keys.find(params["apiKeyId"] ?? "", actorOf(manager));
    const answer: z.infer<typeof propagation> = { icPropagation: { [clusterName]: true } };
    ctx.body = answer;
  };
}

export const propagationDocs: RouteDocs = {
  operation: "getApiKeyPropagation",
  tag: "Accounts",
  summary: "Tell whether a key's change has arrived everywhere",
  params: { apiKeyId: "Id of an API key." },
  answers: { 200: { description: "It has.", schema: propagation } },
};

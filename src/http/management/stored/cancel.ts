/** POST /admin/responses/{responseId}/cancel, and likewise for other kinds, an extension: cancels what is being worked on. */
import { toActor } from "../../../accounts/visibility.js";
import { managementRoute, type ManagementRoute } from "../../server/route.js";
import { paramDocs, presentStored, storedObjectSchema, type StoredResource } from "./stored.js";

/** Cancels a deferred completion, a background response or a batch. */
export function cancelStored(resource: StoredResource): ManagementRoute {
  const { kind, param, operation, one } = resource;
  const effects: Readonly<Partial<Record<string, string>>> = {
    "deferred-completions": "Its client gets the error `cancelled`.",
    responses: "It must be processed in the background, and keeps what was generated.",
    batches: "Requests that are in flight are answered.",
  };
  return managementRoute({
    method: "POST",
    path: `/admin/${kind}/:${param}/cancel`,
    acl: "StoredWrite",
    takesBody: false,
    docs: {
      operation: `cancelManaged${operation}`,
      tag: "Stored",
      summary: `Cancel a ${one}`,
      description: `An extension of Hearth. ${effects[kind] ?? ""} What was generated is charged.`,
      params: paramDocs(resource),
      answers: { 200: { description: "What is known of it.", schema: storedObjectSchema } },
      errors: ["conflict"],
    },
    async handle({ ctx, manager, params }, { storedObjects }) {
      ctx.body = presentStored(await storedObjects.cancel(kind, params[param] ?? "", toActor(manager)));
    },
  });
}

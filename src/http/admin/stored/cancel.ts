/** POST /admin/responses/{responseId}/cancel, and likewise for other kinds, an extension: cancels what is being worked on. */
import { actorOf } from "../../../accounts/visibility.js";
import type { HttpDeps } from "../../deps.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { paramDocs, presentStored, storedObjectSchema, type StoredResource } from "../stored.js";

/** Cancels a deferred completion, a background response or a batch. */
export function cancelStored(
  { storedObjects }: Pick<HttpDeps, "storedObjects">,
  { kind, param }: StoredResource,
): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    ctx.body = presentStored(await storedObjects.cancel(kind, params[param] ?? "", actorOf(manager)));
  };
}

export function cancelStoredDocs(resource: StoredResource): RouteDocs {
  const effects: Readonly<Partial<Record<string, string>>> = {
    "deferred-completions": "Its client gets the error `cancelled`.",
    responses: "It must be processed in the background, and keeps what was generated.",
    batches: "Requests that are in flight are answered.",
  };
  return {
    operation: `cancelManaged${resource.operation}`,
    tag: "Stored",
    summary: `Cancel a ${resource.one}`,
    description: `An extension of Hearth. ${effects[resource.kind] ?? ""} What was generated is charged.`,
    params: paramDocs(resource),
    answers: { 200: { description: "What is known of it.", schema: storedObjectSchema } },
    errors: ["conflict"],
  };
}

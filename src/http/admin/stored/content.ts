/** GET /admin/files/{fileId}/content, and likewise for other kinds, an extension: what is stored, for download. */
import { actorOf } from "../../../accounts/visibility.js";
import type { HttpDeps } from "../../deps.js";
import { attachment, sendContent } from "../../files/send-content.js";
import type { ManagementCall } from "../../route.js";
import type { AnswerDocs, RouteDocs } from "../../route-docs.js";
import { paramDocs, type StoredResource } from "../stored.js";

/** Sends the content. The headers keep a browser from running anything in it. */
export function getStoredContent(
  { storedObjects, files }: Pick<HttpDeps, "storedObjects" | "files">,
  { kind, param }: StoredResource,
): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    const id = params[param] ?? "";
    const content = await storedObjects.content(kind, id, actorOf(manager));
    if (content.type === "file") {
      ctx.set(attachment(content.file.filename));
      await sendContent(ctx, files, content.file, "application/octet-stream");
      return;
    }
    ctx.set(attachment(`${id}.json`));
    ctx.type = "application/json";
    ctx.body = content.text;
  };
}

export function getStoredContentDocs(resource: StoredResource, content: AnswerDocs): RouteDocs {
  const { kind, one } = resource;
  return {
    operation: `getManaged${resource.operation}Content`,
    tag: "Stored",
    summary: `Download ${kind === "batches" ? "the output of a batch" : `a ${one}`}`,
    description: "An extension of Hearth.",
    params: paramDocs(resource),
    answers: { 200: content },
    ...(kind === "batches" ? { errors: ["conflict"] as const } : {}),
  };
}

/** GET /admin/files/{fileId}/content, and likewise for other kinds, an extension: what is stored, for download. */
import { toActor } from "../../../accounts/visibility.js";
import { attachment, sendContent } from "../../server/reply/send-content.js";
import { managementRoute, type ManagementRoute } from "../../server/route.js";
import type { AnswerDocs } from "../../server/route-docs.js";
import { paramDocs, type StoredResource } from "./stored.js";

/** Sends the content. The headers keep a browser from running anything in it. */
export function getStoredContent(resource: StoredResource, content: AnswerDocs): ManagementRoute {
  const { kind, param, operation, one } = resource;
  return managementRoute({
    method: "GET",
    path: `/admin/${kind}/:${param}/content`,
    acl: "StoredRead",
    docs: {
      operation: `getManaged${operation}Content`,
      tag: "Stored",
      summary: `Download ${kind === "batches" ? "the output of a batch" : `a ${one}`}`,
      description: "An extension of Hearth.",
      params: paramDocs(resource),
      answers: { 200: content },
      errors: kind === "batches" ? ["conflict"] : [],
    },
    async handle({ ctx, manager, params }, { storedObjects, files }) {
      const id = params[param] ?? "";
      const content = await storedObjects.content(kind, id, toActor(manager));
      if (content.type === "file") {
        ctx.set(attachment(content.file.filename));
        await sendContent(ctx, files, content.file, "application/octet-stream");
        return;
      }
      ctx.set(attachment(`${id}.json`));
      ctx.type = "application/json";
      ctx.body = content.text;
    },
  });
}

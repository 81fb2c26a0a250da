/** GET /v1/files/{file_id}/content: the bytes of a file. */
import { authorise } from "../../../accounts/keys/permissions.js";
import type { HttpDeps } from "../../deps.js";
import { attachment, sendContent } from "../../files/send-content.js";
import type { Call } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { fileParams } from "../files.js";

/** Sends the content of a file. The headers keep a browser from running anything in it. */
export function getFileContent({ files }: Pick<HttpDeps, "files">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, params, route }) => {
    authorise(principal, { endpoint: route.endpointAcl, model: null });
    const file = await files.find(params["file_id"] ?? "", principal.team.id);
    ctx.set(attachment(file.filename));
    await sendContent(ctx, files, file, "application/octet-stream");
  };
}

export const getFileContentDocs: RouteDocs = {
  operation: "getFileContent",
  tag: "Files",
  summary: "Get the content of a file",
  params: fileParams,
  answers: { 200: { description: "The bytes of the file.", contentType: "application/octet-stream" } },
};

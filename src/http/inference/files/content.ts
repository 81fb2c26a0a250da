/** GET /v1/files/{file_id}/content: the bytes of a file. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { attachment, sendContent } from "../../server/reply/send-content.js";
import { apiKeyRoute } from "../../server/route.js";
import { fileParams } from "./files.js";

/** Sends the content of a file. The headers keep a browser from running anything in it. */
export const getFileContent = apiKeyRoute({
  method: "GET",
  path: "/v1/files/:file_id/content",
  acl: "files",
  errors: "either",
  docs: {
    operation: "getFileContent",
    tag: "Files",
    summary: "Get the content of a file",
    params: fileParams,
    answers: { 200: { description: "The bytes of the file.", contentType: "application/octet-stream" } },
  },
  async handle({ ctx, principal, params, route }, { files }) {
    authorise(principal, { endpoint: route.acl, model: null });
    const file = await files.find(params["file_id"] ?? "", principal.team.id);
    ctx.set(attachment(file.filename));
    await sendContent(ctx, files, file, "application/octet-stream");
  },
});

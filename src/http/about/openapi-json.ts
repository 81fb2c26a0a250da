/** GET /openapi.json: the OpenAPI document of this server. */
import { z } from "zod";
import { notModified, presentCached } from "../server/reply/cached-answer.js";
import { publicRoute } from "../server/route.js";
import { openapiDocument } from "./openapi/document.js";

export const getOpenApi = publicRoute({
  method: "GET",
  path: "/openapi.json",
  docs: {
    operation: "getOpenApi",
    tag: "Server",
    summary: "Get this document",
    answers: {
      200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.literal("3.1.1") }) },
      304: notModified,
    },
  },
  handle: presentCached(({ ctx, routes }, { version }) => ({
    contentType: "application/json",
    text: JSON.stringify(openapiDocument(routes, version, ctx.state.basePath)),
  })),
});

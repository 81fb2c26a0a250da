/** GET /openapi.json: the document of this server's own routes. */
import { z } from "zod";
import { notModified, presentCached } from "./reply/cached-answer.js";
import type { Context } from "./context.js";
import { openapiDocument } from "./openapi/document.js";
import type { Route } from "./route.js";
import type { RouteDocs } from "./route-docs.js";

/** The handler; `routes` is asked for when the document is first. */
export function presentOpenApi(routes: () => readonly Route[], version: string): (ctx: Context) => void {
  return presentCached(() => ({
    contentType: "application/json",
    text: JSON.stringify(openapiDocument(routes(), version)),
  }));
}

export const openApiDocs: RouteDocs = {
  operation: "getOpenApi",
  tag: "Server",
  summary: "Tell this document",
  answers: {
    200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.literal("3.1.1") }) },
    304: notModified,
  },
};

/** GET /openapi.json: the OpenAPI document of this server. */
import { z } from "zod";
import { notModified, presentCached } from "./reply/cached-answer.js";
import type { Context } from "./context.js";
import { openapiDocument } from "./openapi/document.js";
import type { Route } from "./route.js";
import type { RouteDocs } from "./route-docs.js";

/** Returns the document, built at the first request. `routes` is called then. */
export function getOpenApi(routes: () => readonly Route[], version: string): (ctx: Context) => void {
  return presentCached(() => ({
    contentType: "application/json",
    text: JSON.stringify(openapiDocument(routes(), version)),
  }));
}

export const getOpenApiDocs: RouteDocs = {
  operation: "getOpenApi",
  tag: "Server",
  summary: "Get this document",
  answers: {
    200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.literal("3.1.1") }) },
    304: notModified,
  },
};

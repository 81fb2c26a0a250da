/** GET /v1: names the server and its documentation, for a person who opens the base URL of a client. */
import { z } from "zod";
import { responseObject } from "../../dialects/response-fields.js";
import { publicRoute } from "../server/route.js";

const server = responseObject({
  object: z.literal("server"),
  name: z.literal("hearth"),
  version: z.string(),
  docs: z.literal("/docs").describe("Path of the reference."),
  openapi: z.literal("/openapi.json").describe("Path of the OpenAPI document."),
}).meta({ id: "Server" });

export const getServer = publicRoute({
  method: "GET",
  path: "/v1",
  docs: {
    operation: "getServer",
    tag: "Server",
    summary: "Name the server and its documentation",
    answers: { 200: { description: "The server.", schema: server } },
  },
  handle({ ctx }, { version }) {
    ctx.body = { object: "server", name: "hearth", version, docs: "/docs", openapi: "/openapi.json" };
  },
});

import { z } from "zod";
import { responseObject } from "../dialects/response-fields.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

/** GET /healthz, and /health as clients of llama.cpp call it: reports that the process is alive, not whether it can accept work. */
export function getHealth(ctx: Context): void {
  ctx.body = { status: "ok" };
}

const healthStatus = responseObject({ status: z.literal("ok") }).meta({ id: "HealthStatus" });

export const getHealthDocs: RouteDocs = {
  operation: "getHealth",
  tag: "Server",
  summary: "Check whether the process is alive",
  answers: { 200: { description: "The process is alive.", schema: healthStatus } },
};

export const getHealthAliasDocs: RouteDocs = {
  ...getHealthDocs,
  operation: "getHealthAlias",
  summary: "The same as /healthz, for llama.cpp's clients",
};

import { z } from "zod";
import { shape } from "../dialects/shape.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

/** GET /healthz: the process is alive; says nothing about whether it can take work. */
export function presentHealth(ctx: Context): void {
  ctx.body = { status: "ok" };
}

const healthy = shape({ status: z.literal("ok") }).meta({ id: "Healthy" });

export const healthDocs: RouteDocs = {
  operation: "getHealth",
  tag: "Server",
  summary: "Tell whether the process is alive",
  answers: { 200: { description: "It is.", schema: healthy } },
};

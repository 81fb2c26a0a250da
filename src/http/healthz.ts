import type { Context } from "./context.js";

/** GET /healthz: the process is alive; says nothing about whether it can take work. */
export function presentHealth(ctx: Context): void {
  ctx.body = { status: "ok" };
}

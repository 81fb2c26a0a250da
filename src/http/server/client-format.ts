/** Chooses the format of routes that OpenAI and Anthropic clients share although their objects contradict each other. */
import type { ErrorDialect } from "../../dialects/error-body.js";
import type { Context } from "./context.js";
import type { RouteErrors } from "./route.js";

/** Whether the client is one of Anthropic's, whose SDKs send this header with every request. */
export function isAnthropicClient(ctx: Context): boolean {
  return ctx.get("anthropic-version") !== "";
}

/** Returns the format of the errors of a request. */
export function chooseErrors(errors: RouteErrors, ctx: Context): ErrorDialect {
  if (errors !== "either") return errors;
  return isAnthropicClient(ctx) ? "anthropic" : "openai";
}

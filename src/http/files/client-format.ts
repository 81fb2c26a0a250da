/** Chooses the format of routes that OpenAI and Anthropic clients share although their objects contradict each other. */
import type { ErrorDialect } from "../../dialects/error-body.js";
import type { RouteErrors } from "../route.js";
import type { Context } from "../context.js";
import { anthropicFiles, openaiFiles, type FileFormat } from "./present.js";

/** Whether the client is one of Anthropic's, whose SDKs send this header with every request. */
function isAnthropicClient(ctx: Pick<Context, "get">): boolean {
  return ctx.get("anthropic-version") !== "";
}

/** Returns the format of files for a client. */
export function fileFormatOf(ctx: Pick<Context, "get">): FileFormat {
  return isAnthropicClient(ctx) ? anthropicFiles : openaiFiles;
}

/** Returns the format of the errors of a request. */
export function errorDialectFor(errors: RouteErrors, ctx: Pick<Context, "get">): ErrorDialect {
  if (errors !== "either") return errors;
  return isAnthropicClient(ctx) ? "anthropic" : "openai";
}

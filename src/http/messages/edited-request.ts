import type { ContextEdit } from "../../core/prompt/context-edit.js";
import type { GenerationRequest } from "../../core/generation.js";
import { applyContextEdits, type EditedRequest } from "../../inference/prompt/context-edits.js";
import type { HttpDeps } from "../deps.js";
import { whileClientWaits } from "../reply/client.js";
import type { Call } from "../route.js";

/** Applies the edits of a request while its client waits. @returns null when the client has left */
export async function editedRequest(
  { generator }: Pick<HttpDeps, "generator">,
  { ctx, principal }: Call,
  request: GenerationRequest,
  edits: readonly ContextEdit[] | null,
): Promise<EditedRequest | null> {
  if (edits === null || edits.length === 0) return { request, applied: [] };
  return whileClientWaits(ctx.req.socket, (signal) =>
    applyContextEdits(generator, request, edits, principal.team.id, signal),
  );
}

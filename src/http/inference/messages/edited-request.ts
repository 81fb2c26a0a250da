import type { ContextEdit } from "../../../core/prompt/context-edit.js";
import type { GenerationRequest } from "../../../core/generation.js";
import { applyContextEdits, type EditedRequest } from "../../../inference/prompt/context-edits.js";
import type { AppContext } from "../../server/app-context.js";
import { whileClientWaits } from "../../server/reply/client.js";
import type { Call } from "../../server/route.js";

/**
 * Applies the edits of an admitted request while its client waits: edits read the whole prompt.
 * @returns null when the client has left. @throws as `applyContextEdits` does.
 */
export async function editedRequest(
  app: AppContext,
  call: Call,
  request: GenerationRequest,
  edits: readonly ContextEdit[] | null,
): Promise<EditedRequest | null> {
  if (edits === null || edits.length === 0) return { request, applied: [] };
  return whileClientWaits(call.ctx.req.socket, (signal) =>
    applyContextEdits(app.generator, request, edits, call.principal.team.id, signal),
  );
}

import type { ContextEdit } from "../../core/prompt/context-edit.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { TokenReservation } from "../../core/limits.js";
import { noUsage } from "../../core/usage.js";
import { applyContextEdits, type EditedRequest } from "../../inference/prompt/context-edits.js";
import type { HttpDeps } from "../deps.js";
import { reserveTokens } from "../middleware/limit.js";
import { whileClientWaits } from "../reply/client.js";
import type { Call } from "../route.js";

/** A request that the rate limits have admitted. */
export interface ReservedRequest extends EditedRequest {
  /** The estimated tokens of the request before its edits. The caller must reconcile it. */
  readonly reservation: TokenReservation;
}

/**
 * Reserves the tokens of a request, then applies its edits while its client waits: edits read the whole prompt.
 * @returns null when the client has left. Then, and when an edit fails, nothing stays reserved.
 * @throws as `reserveTokens` and `applyContextEdits` do.
 */
export async function reserveEditedRequest(
  deps: Pick<HttpDeps, "generator" | "models" | "hostedTokenizer" | "rateLimits" | "clock">,
  call: Call,
  request: GenerationRequest,
  edits: readonly ContextEdit[] | null,
): Promise<ReservedRequest | null> {
  const reservation = await reserveTokens(deps, call, request.model, request);
  if (edits === null || edits.length === 0) return { request, applied: [], reservation };
  let edited: EditedRequest | null = null;
  try {
    edited = await whileClientWaits(call.ctx.req.socket, (signal) =>
      applyContextEdits(deps.generator, request, edits, call.principal.team.id, signal),
    );
  } finally {
    if (edited === null) reservation.reconcile(noUsage);
  }
  return edited === null ? null : { ...edited, reservation };
}

import { authorise } from "../../accounts/keys/permissions.js";
import { hasFiles } from "../../answers/files/prompt-files.js";
import type { AppContext } from "./app-context.js";
import { whileClientWaits } from "./reply/client.js";
import type { Call } from "./route.js";
import { authoriseModel } from "../../answers/authorise-model.js";

/** A body with the contents of its files. */
export interface InlinedBody {
  readonly whole: unknown;
}

/**
 * Puts the contents of files into the body of a request, while its client waits. Files are expensive to fetch and read: the key must be
 * allowed to use the endpoint and the model before.
 * @returns null when the client has left.
 * @throws HearthError as `PromptFiles.inline` and `authoriseModel` do.
 */
export async function inlineFiles(
  { models, promptFiles }: AppContext,
  call: Call,
): Promise<InlinedBody | null> {
  const { ctx, principal, body, route } = call;
  if (!hasFiles(body)) return { whole: body };
  const model = modelOf(body);
  if (model === null) authorise(principal, { endpoint: route.acl, model: null });
  else authoriseModel(models, call, model);
  return whileClientWaits(ctx.req.socket, async (signal) => ({
    whole: await promptFiles.inline(principal, body, signal),
  }));
}

/** Returns the name of the model in a body that is not parsed yet; null when it has none. */
function modelOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("model" in body)) return null;
  return typeof body.model === "string" ? body.model : null;
}

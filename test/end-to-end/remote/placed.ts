/** The built-in model on a llama-server. */
import { join } from "node:path";
import { root } from "../../kit/folder.js";
import { builtInModel } from "../../kit/server/settings.js";

export const modelFile = join(root, "models", builtInModel, `${builtInModel}.gguf`);
/** The context of a slot of the server. */
export const contextTokens = 2048;

/** Returns the setting of an engine that runs the built-in model. */
export function enginesOf(address: string | readonly string[], more: object = {}): string {
  return JSON.stringify([{ kind: "llama-server", url: address, models: [builtInModel], ...more }]);
}

/** A server with a scripted chat model that calls `image_generation`, and a scripted image model. */
import type { Script, ScriptStep } from "../../../kit/scripted/engine.js";
import { ember } from "../../../kit/scripted/ember.js";
import { type ScriptedSettings, startServer } from "../../../kit/server.js";
import { emptyFile } from "../../../kit/server/scripted.js";
import { createResponsesClient } from "../../../kit/clients/responses.js";

const painter = {
  ...ember,
  manifest: {
    ...ember.manifest,
    id: "painter",
    aliases: [],
    kind: "image" as const,
    prices: { ...ember.manifest.prices, imageTicks: 700 },
  },
};
export const tools = [{ type: "image_generation" as const }];

/** Calls of `image_generation` in one turn, then its end. */
export function drawing(...prompts: readonly string[]): readonly ScriptStep[] {
  return [
    ...prompts.flatMap((prompt, index): ScriptStep[] => [
      {
        type: "tool-call-start",
        choice: 0,
        index,
        id: `call_${prompt}`,
        name: "image_generation",
        tokens: 2,
      },
      { type: "tool-call-delta", choice: 0, index, arguments: JSON.stringify({ prompt }), tokens: 3 },
      { type: "tool-call-end", choice: 0, index, tokens: 1 },
    ]),
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
  ];
}

export const drawsOnce: Script = (prompt) =>
  prompt.includes("was drawn") ? ["Here it is."] : ["I will draw. ", ...drawing("fox")];

/** Starts a server that knows a model of pictures beside the usual ones. */
export async function start(script: Script = drawsOnce, options: ScriptedSettings = {}) {
  const server = await startServer({ engine: script, models: [emptyFile, ember, painter], ...options });
  return { server, client: createResponsesClient(server.url) };
}

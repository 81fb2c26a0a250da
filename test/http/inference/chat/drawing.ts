import OpenAI from "openai";
import { type ScriptedOptions } from "../../../kit/scripted/engine.js";
import { transcript } from "../../../kit/scripted/transcript.js";
import { template } from "../../../kit/engine/tool-answers.js";
import { startServer } from "../../../kit/server.js";
import { headersOf } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";

/** Starts a server whose model returns these texts, one for each sample, with one token for each byte. */
export async function drawing(texts: readonly string[], options: ScriptedOptions = {}, family = "generic") {
  let draw = 0;
  const script = () => [transcript(template(family), texts[draw++ % texts.length] ?? "")];
  const server = await startServer({ engine: script, contextTokens: 4096, ...options });
  return {
    ...server,
    client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 }),
    send: (route: string, body: object) =>
      fetch(`${server.url}/v1/${route}`, {
        method: "POST",
        headers: headersOf(keys.ada),
        body: JSON.stringify(body),
      }),
  };
}

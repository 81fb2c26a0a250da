import OpenAI from "openai";
import { transcript, type ScriptedOptions } from "../../../../src/engine/scripted.js";
import { template } from "../../../engine/llama/tools/answers.js";
import { startScriptedApp, headersOf, keys } from "../../../scripted-app.js";

/** Starts a server whose model returns these texts, one for each sample, with one token for each byte. */
export async function drawing(texts: readonly string[], options: ScriptedOptions = {}, family = "generic") {
  let draw = 0;
  const script = () => [transcript(template(family), texts[draw++ % texts.length] ?? "")];
  const server = await startScriptedApp(script, { contextTokens: 4096, ...options });
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

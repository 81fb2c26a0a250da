/**
 * Runs a server with the scripted image engine, and two clients that request stored images without end. Prints a line for every event,
 * so that the parent process can kill it at a chosen event.
 */
import type * as app from "../../../src/app/app.js";
import type * as config from "../../../src/config/config.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";

const built = (file: string): Promise<unknown> =>
  import(new URL(`../../../dist/${file}`, import.meta.url).href);
const { createApp } = (await built("app/app.js")) as typeof app;
const { loadConfig } = (await built("config/config.js")) as typeof config;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const report = (what: string): boolean => process.stdout.write(`${what}\n`);

const painter = createScriptedImageEngine({
  onStep: async () => {
    report("step");
    await turn();
  },
});
const { config: settings } = loadConfig(process.env);
const server = await createApp(settings, { imageEngine: painter });
const { url } = await server.listen();
report("listening");

async function client(): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${settings.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "tiny-painter", prompt: "red", n: 3 }),
    });
    const { data } = (await response.json()) as { data: readonly { url: string }[] };
    for (const image of data) report(`kept ${image.url.split("/").at(-1)}`);
  }
}

await Promise.all([client(), client()]);

import { expect, it } from "vitest";
import { createScriptedEngine } from "../../../src/engine/scripted.js";
import { startApp, testKey } from "../../harness.js";
import { commandEnvironment } from "./environment.js";

it("a running server answers under a name, and charges a price to the tick, as soon as commands set them", async () => {
  const { gguf, environment, hearth } = commandEnvironment();
  gguf("models/zeta.gguf");
  const engine = createScriptedEngine(() => ["Good", " day"]);
  const { url, app } = await startApp({ ...environment, HEARTH_API_KEY: testKey }, { engine });
  await hearth("alias", "gpt-4o-mini", "zeta");
  await hearth("prices", "set", "gpt-4o-mini", "--prompt", "0.15", "--completion", "0.6");
  await expect
    .poll(() => app.models.find("gpt-4o-mini")?.manifest.prices.completionTextTokenTicks, { timeout: 20_000 })
    .toBe(6000);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
  });
  const { model, usage } = (await response.json()) as {
    readonly model: string;
    readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  };
  expect(model).toBe("gpt-4o-mini");
  expect(usage.completion_tokens).toBeGreaterThan(0);
  expect(Number(response.headers.get("x-hearth-cost-ticks"))).toBe(
    1500 * usage.prompt_tokens + 6000 * usage.completion_tokens,
  );
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/config.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";

const messages = [{ role: "user" as const, content: "What is 3 plus 4?" }];

/** Starts a server whose configuration file has settings of models. */
async function startWith(settings: object) {
  const folder = temporaryFolder();
  const file = join(folder, "hearth.yaml");
  writeFileSync(file, JSON.stringify({ models: settings }));
  return startServer({ environment: { HEARTH_CONFIG: file } });
}

describe("the settings of a model in hearth.yaml", () => {
  it("give it names, so that client code of hosted models needs no change", async () => {
    const { client } = await startWith({ [builtInModel]: { aliases: ["gpt-4o-mini", "claude-*"] } });
    for (const model of ["gpt-4o-mini", "claude-sonnet-5", "claude-"]) {
      const answer = await client.chat.completions.create({ model, messages, max_tokens: 5 });
      expect(answer.model).toBe(model);
    }
    await expect(client.chat.completions.create({ model: "gpt-4o", messages })).rejects.toThrow("404");
  });

  it("set its prices, which are charged to the tick", async () => {
    const prices = { prompt: 2.5, cached: 1.25, completion: 10 };
    const { client } = await startWith({ [builtInModel]: { prices } });
    const { usage } = await client.chat.completions.create({ model: builtInModel, messages, max_tokens: 5 });
    const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = usage ?? {};
    const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
    // USD per million tokens are 10,000 ticks per token.
    const ticks = (prompt - cached) * 25_000 + cached * 12_500 + completion * 100_000;
    expect(completion).toBeGreaterThan(0);
    expect(usage).toMatchObject({ cost_in_usd_ticks: ticks });
  });

  it("reduce its context, and never lengthen it", async () => {
    const { app } = await startWith({ [builtInModel]: { context: 512 } });
    expect(app.models.find(builtInModel)?.manifest.contextTokens).toBe(512);
    const longer = await startWith({ [builtInModel]: { context: 1_000_000 } });
    const usual = await startServer();
    expect(longer.app.models.find(builtInModel)?.manifest.contextTokens).toBe(
      usual.app.models.find(builtInModel)?.manifest.contextTokens,
    );
  });

  it("make a model unusable, with the reason, when they name a file that does not exist", async () => {
    const { client } = await startWith({ [builtInModel]: { template: "nowhere.jinja" } });
    await expect(client.chat.completions.create({ model: builtInModel, messages })).rejects.toThrow(
      /503.*its setting template names a file that cannot be read/,
    );
  });

  it("are all reported at once when they are wrong, with the other errors of the file", () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "hearth.yaml");
    const wrong = {
      x: { prices: { prompt: -1, completion: null }, context: 3, temperature: 2 },
      y: { aliases: ["/"], slots: true, scale: "" },
    };
    writeFileSync(file, JSON.stringify({ port: -5, ports: 1, models: wrong }));
    const report = (): unknown => loadConfig({ HEARTH_SLOTS: "3" }, file);
    for (const part of [
      "models.x.prices.prompt (set by",
      "must be at least 64",
      // In YAML, a name with nothing after it is null, which is no price of 0.
      "models.x.prices.completion (set by",
      "models.y.slots (set by",
      "models.y.scale (set by",
      "models.x.context (set by",
      "models.x.temperature (set by",
      "models.y.aliases.0 (set by",
      "port (set by",
      "unknown setting 'ports'",
      "HEARTH_SLOTS",
    ])
      expect(report).toThrow(part);
  });
});

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import type { LogLine } from "../../kit/server/scripted.js";
import { createManualClock } from "../../kit/manual-clock.js";

/** The pauses between two looks at folders, the configuration file, and settings that commands write. */
const pausesMs = [2000, 1500, 1000];
const messages = [{ role: "user" as const, content: "Hello" }];
const weights = modelBytes();

/** A server with a folder of models, a configuration file, and a clock that stands still. */
async function startWithSettings(settings = "") {
  const folder = temporaryFolder();
  const file = join(temporaryFolder(), "hearth.yaml");
  writeFileSync(file, settings);
  const clock = createManualClock(Date.UTC(2026, 10, 23));
  const logs: LogLine[] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void logs.push({ level, fields, message });
  const logger = { info: log("info"), warn: log("warn"), error: log("error") };
  const data = join(temporaryFolder(), "data");
  const environment = { HEARTH_MODELS: folder, HEARTH_CONFIG: file, HEARTH_DATA: data };
  const server = await startServer({ environment, clock, logger });
  /** Lets the server look at its files once. */
  const look = async (): Promise<void> => {
    for (const ms of pausesMs) await clock.whenWaiting(ms);
    clock.advance(Math.max(...pausesMs));
    for (const ms of pausesMs) await clock.whenWaiting(ms);
  };
  const chat = (model: string) => server.client.chat.completions.create({ model, messages, max_tokens: 3 });
  return { ...server, clock, folder, file, data, logs, look, chat };
}

describe("while the server runs", () => {
  it("a model that is copied into the folder answers once its file is whole", async () => {
    const { app, folder, look, chat } = await startWithSettings();
    await expect(chat("fresh")).rejects.toThrow("404");
    const half = weights.length / 2;
    writeFileSync(join(folder, "fresh.gguf"), weights.subarray(0, half));
    await look();
    expect(app.models.find("fresh")).toBeNull();
    writeFileSync(join(folder, "fresh.gguf"), weights);
    await look();
    expect(app.models.find("fresh")).toBeNull();
    await look();
    expect((await chat("fresh")).model).toBe("fresh");
  });

  it("a model that is replaced answers with its new weights, and runs that began before end with the old ones", async () => {
    const { client, folder, look, chat } = await startWithSettings();
    const put = (seed: number): void => {
      writeFileSync(join(folder, ".next"), modelBytes({ seed }));
      renameSync(join(folder, ".next"), join(folder, "changing.gguf"));
    };
    put(1);
    await look();
    await look();
    const stream = await client.chat.completions.create({
      model: "changing",
      messages,
      max_tokens: 400,
      stream: true,
      logit_bias: { "2": -100 },
    });
    const prints = new Set<string | undefined>();
    const chunks = stream[Symbol.asyncIterator]();
    await chunks.next();
    put(2);
    await look();
    await look();
    const next = await chat("changing");
    let finish: string | null | undefined;
    for (let piece = await chunks.next(); piece.done !== true; piece = await chunks.next()) {
      prints.add(piece.value.system_fingerprint);
      finish = piece.value.choices[0]?.finish_reason ?? finish;
    }
    expect(finish).toBeTypeOf("string");
    expect(prints.size).toBe(1);
    expect(prints.has(next.system_fingerprint)).toBe(false);
  });

  it("a model that is removed is unknown, and its settings are named in a warning", async () => {
    const { folder, look, chat, logs } = await startWithSettings("models: { leaving: { aliases: [goner] } }");
    writeFileSync(join(folder, "leaving.gguf"), weights);
    await look();
    await look();
    expect((await chat("goner")).model).toBe("goner");
    rmSync(join(folder, "leaving.gguf"));
    await look();
    await look();
    await expect(chat("leaving")).rejects.toThrow("404");
    await expect(chat("goner")).rejects.toThrow("404");
    expect(JSON.stringify(logs)).toContain("a model was removed");
  });

  it("M9: what a command wrote holds after a second without a request, too: for jobs, and on servers that share the folder", async () => {
    const { app, clock, data } = await startWithSettings();
    const prices = () => app.models.find("hearth-tiny-5m")?.manifest.prices.completionTextTokenTicks;
    for (const usd of [0.6, 6]) {
      writeFileSync(join(data, "next"), `hearth-tiny-5m: { prices: { completion: ${usd} } }`);
      renameSync(join(data, "next"), join(data, "model-settings.yaml"));
      await clock.whenWaiting(1000);
      clock.advance(1000);
      await clock.whenWaiting(1000);
      expect(prices()).toBe(10_000 * usd);
    }
  });

  it("a file of settings that a command wrote and that is damaged leaves the former ones, and is named in a warning", async () => {
    const { app, data, look, logs } = await startWithSettings();
    const file = join(data, "model-settings.yaml");
    writeFileSync(file, "hearth-tiny-5m: { aliases: [gpt-4o-mini] }");
    await look();
    await look();
    expect(app.models.find("gpt-4o-mini")?.manifest.id).toBe("hearth-tiny-5m");
    writeFileSync(file, "hearth-tiny-5m: { slots: many }");
    await look();
    await look();
    expect(app.models.find("gpt-4o-mini")?.manifest.id).toBe("hearth-tiny-5m");
    const warnings = logs.filter(({ level }) => level === "warn");
    expect(JSON.stringify(warnings)).toContain("hearth-tiny-5m.slots: must be a number");
  });

  it("settings of models in hearth.yaml apply, and those that are wrong leave the former ones", async () => {
    const { app, file, look, logs } = await startWithSettings();
    writeFileSync(file, "models: { hearth-tiny-5m: { aliases: [gpt-4o-mini] } }");
    await look();
    await look();
    expect(app.models.find("gpt-4o-mini")?.manifest.id).toBe("hearth-tiny-5m");
    writeFileSync(file, "models: { hearth-tiny-5m: { alias: [grok-4] } }");
    await look();
    await look();
    expect(app.models.find("gpt-4o-mini")?.manifest.id).toBe("hearth-tiny-5m");
    const errors = logs.filter(({ level }) => level === "error");
    expect(JSON.stringify(errors)).toContain("models.hearth-tiny-5m.alias (set by");
  });
});

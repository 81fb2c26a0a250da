import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandEnvironment } from "./environment.js";

describe("hearth alias", () => {
  it("makes a name lead to a model, moves it to another one, lists it and removes it", async () => {
    const { gguf, hearth, json } = commandEnvironment();
    gguf("models/one.gguf");
    gguf("models/two.gguf");
    expect(await hearth("alias", "gpt-4o-mini", "one")).toBe("gpt-4o-mini leads to one\n");
    await hearth("alias", "gpt-*", "one");
    expect(await hearth("alias", "gpt-4o-mini", "two")).toBe(
      "gpt-4o-mini leads to two, and no longer to one\n",
    );
    expect(await json("alias")).toEqual([
      { alias: "gpt-*", model: "one", source: "hearth set" },
      { alias: "gpt-4o-mini", model: "two", source: "hearth set" },
      { alias: "hearth-captioner", model: "hearth-captioner-2m", source: "files" },
      { alias: "hearth-embed", model: "hearth-embed-1m", source: "files" },
      { alias: "hearth-painter", model: "hearth-painter-3m", source: "files" },
      { alias: "hearth-tiny", model: "hearth-tiny-5m", source: "files" },
    ]);
    expect(await hearth("show", "gpt-4.1")).toMatch(/^ +id +one$/m);
    expect(await hearth("alias", "--rm", "gpt-*")).toBe("gpt-* no longer leads to one\n");
    await expect(hearth("show", "gpt-4.1")).rejects.toThrow("There is no model 'gpt-4.1'.");
    expect(await hearth("alias")).toMatch(/^ALIAS +MODEL +SET BY\ngpt-4o-mini +two +hearth set\n/);
  });

  it("takes over an alias that the files of another model suggest", async () => {
    const { hearth } = commandEnvironment();
    await hearth("alias", "hearth-tiny", "hearth-embed");
    expect(await hearth("show", "hearth-tiny")).toMatch(/^ +id +hearth-embed-1m$/m);
  });

  it("refuses an ID, what is no name, an alias that is not there, and one that another place has", async () => {
    const { gguf, write, hearth, environment } = commandEnvironment();
    gguf("models/one.gguf");
    const file = write("hearth.yaml", "models:\n  one: { aliases: [fixed] }\n");
    const { hearth: configured } = commandEnvironment({ ...environment, HEARTH_CONFIG: file });
    await expect(hearth("alias", "one", "hearth-tiny")).rejects.toThrow("'one' is the ID of a model");
    await expect(hearth("alias", "a b", "one")).rejects.toThrow("alias: must be 1 to 200 letters");
    await expect(hearth("alias", "lonely")).rejects.toThrow("an alias needs a name and a model");
    await expect(hearth("alias", "--rm", "none")).rejects.toThrow("There is no alias 'none'.");
    await expect(hearth("alias", "--rm", "hearth-tiny")).rejects.toThrow(
      "The alias 'hearth-tiny' of 'hearth-tiny-5m' cannot be changed here: the files and folders of the model name it.",
    );
    await expect(configured("alias", "--rm", "fixed")).rejects.toThrow(
      `cannot be changed here: ${file} has it.`,
    );
    await expect(configured("alias", "fixed", "hearth-tiny")).rejects.toThrow(`${file} has it.`);
  });
});

describe("hearth set", () => {
  it("changes several settings at once, and removes one without a value", async () => {
    const { gguf, hearth, json, folder } = commandEnvironment();
    gguf("models/one.gguf");
    const words = [
      "sampling.temperature=0.7",
      "sampling.topK=20",
      "aliases=a,*-mini",
      "system=Answer: briefly",
      "keepAlive=10m",
      "prices={prompt: 0.15, completion: 0.6}",
    ];
    expect(await hearth("set", "one", ...words)).toBe(
      [
        "sampling.temperature: 0.7",
        "sampling.topK: 20",
        "aliases: set",
        "system: Answer: briefly",
        "keepAlive: 600 s",
        "prices: set",
        "",
      ].join("\n"),
    );
    expect(await hearth("set", "a", "sampling.topK=", "system=")).toBe(
      "sampling.topK: removed\nsystem: removed\n",
    );
    expect(await json("set", "gpt-mini", "context=1024")).toEqual([
      { name: "prices.prompt", value: 0.15, source: "hearth set" },
      { name: "prices.completion", value: 0.6, source: "hearth set" },
      { name: "context", value: 1024, source: "hearth set" },
      { name: "sampling.temperature", value: 0.7, source: "hearth set" },
      { name: "keepAlive", value: 600_000, source: "hearth set" },
    ]);
    expect(readFileSync(join(folder, "data/model-settings.yaml"), "utf8")).toContain("keepAlive: 10m");
  });

  it.each([
    ["sampling.temperature=3", "sampling.temperature: must be at most 2"],
    [
      "sampling.temprature=1",
      "sampling.temprature: there is no such setting. Did you mean sampling.temperature",
    ],
    ["nothing=1", "There are aliases, prices.prompt,"],
    ["context", "context: must be a setting and its value, such as sampling.temperature=0.7"],
    ["lora=[{", "lora: its value is no YAML"],
    ["draft=small", "draft: is not offered: a draft model was measured"],
    ["kvCache=q2", "kvCache: must be f16 or q8_0 or q4_0"],
    ["aliases=a b", "aliases.0: must be 1 to 200 letters"],
  ])("refuses %s and changes nothing", async (word, message) => {
    const { gguf, hearth, folder } = commandEnvironment();
    gguf("models/one.gguf");
    await expect(hearth("set", "one", "context=512", word)).rejects.toThrow(message);
    expect(existsSync(join(folder, "data/model-settings.yaml"))).toBe(false);
  });

  it("refuses a setting that the configuration file has, and reports one that makes the model unusable", async () => {
    const { gguf, write, environment } = commandEnvironment();
    gguf("models/one.gguf");
    const file = write("hearth.yaml", "models:\n  one: { context: 512 }\n");
    const { hearth, json } = commandEnvironment({ ...environment, HEARTH_CONFIG: file });
    await expect(hearth("set", "one", "context=256")).rejects.toThrow(
      `context: ${file} has this setting of 'one'`,
    );
    await expect(hearth("set", "one", "template=none.jinja")).rejects.toThrow(
      "'one' cannot be used now: its setting template names a file that cannot be read",
    );
    expect(await json("set", "one", "template=")).toEqual([{ name: "context", value: 512, source: file }]);
  });
});

describe("hearth prices", () => {
  it("sets what a model is charged, and lists where each price was set", async () => {
    const { gguf, hearth, json } = commandEnvironment();
    gguf("models/one.gguf");
    expect(await hearth("prices", "set", "one", "--prompt", "0.15", "--completion", "0.6")).toMatch(
      /^MODEL +PROMPT USD +CACHED USD +COMPLETION USD +IMAGE USD +SET BY\none +0\.15 +0\.15 +0\.60 +0\.00 +hearth set\n$/,
    );
    await hearth("prices", "set", "hearth-painter", "--image", "0.02");
    expect(await json("prices", "ls")).toEqual([
      expect.objectContaining({ id: "hearth-captioner-2m" }),
      expect.objectContaining({ id: "hearth-embed-1m", source: "manifest" }),
      expect.objectContaining({ id: "hearth-painter-3m", imageUsd: "0.02", source: "hearth set" }),
      expect.objectContaining({ id: "hearth-tiny-5m", promptUsd: "0.01", source: "manifest" }),
      {
        id: "one",
        promptUsd: "0.15",
        cachedUsd: "0.15",
        completionUsd: "0.60",
        imageUsd: "0.00",
        source: "hearth set",
      },
    ]);
  });

  it.each([
    [["one", "--prompt", "1"], "--completion: the price of a chat model needs it"],
    [["hearth-embed", "--completion", "1"], "--prompt: the price of an embedding model needs it"],
    [["one", "--prompt", "0.00001", "--completion", "1"], "prices.prompt: must have at most 4 decimals"],
    [["one", "--prompt", "x", "--completion", "1"], "prices.prompt: must be a number"],
    [["one", "--prompt=-1", "--completion", "1"], "prices.prompt: must be at least 0"],
  ])("refuses %j", async (words, message) => {
    const { gguf, hearth } = commandEnvironment();
    gguf("models/one.gguf");
    await expect(hearth("prices", "set", ...words)).rejects.toThrow(message);
  });
});

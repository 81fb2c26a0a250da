import { root } from "../../kit/folder.js";
import { explainMissing } from "../../../src/engine/native/native-library.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { template } from "../../kit/engine/tool-answers.js";
import { adapterBytes } from "../../kit/models/gguf-writer/adapter.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { until } from "../../kit/until.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { requestJson } from "../../kit/clients/chat-answers.js";
import { answerOf, configuredApp } from "./configured.js";
import { writeModelSettings } from "../../kit/server/settings.js";

const shouting = "{% for message in messages %}{{ message.content | upper }} {% endfor %}";
const other = "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}";

const settings = {
  "as-text": { template: shouting },
  "as-file": { template: "shouting.jinja" },
  "no-file": { template: "none.jinja" },
  invalid: { template: "{% if %}" },
  calling: { template: template("llama") },
  adapted: { lora: [{ file: "adapter.gguf" }] },
  halved: { lora: [{ file: "adapter.gguf", scale: 0.5 }] },
  twice: { lora: [{ file: "adapter.gguf" }, { file: "second.gguf" }] },
  unchanged: { lora: [{ file: "adapter.gguf", scale: 0 }] },
  foreign: { lora: [{ file: "foreign.gguf" }] },
  larger: { lora: [{ file: "adapter.gguf" }, { file: "larger.gguf" }] },
  missing: { lora: [{ file: "nowhere.gguf" }] },
  slots: { slots: 2, kvCache: "q8_0", context: 512, gpuLayers: "max" },
  brief: { keepAlive: 0 },
  placed: { cpuExperts: "all", cpuTensors: ["output"], mainGpu: 0, gpuSplit: "layer", gpuShares: [1] },
};

const shared = configuredApp(settings, async (folder) => {
  for (const name of ["plain", ...Object.keys(settings)]) await writeVerifiedModel(folder, name);
  await writeVerifiedModel(folder, "own-template", { chatTemplate: shouting });
  await writeVerifiedModel(folder, "other-template", { chatTemplate: other });
  writeFileSync(join(folder, "shouting.jinja"), shouting);
  const adapters = {
    adapter: adapterBytes(),
    second: adapterBytes({ seed: 2 }),
    foreign: adapterBytes({ base: { architecture: "llama" } }),
    larger: adapterBytes({ base: { layers: 3 } }),
  };
  for (const [name, bytes] of Object.entries(adapters)) writeFileSync(join(folder, `${name}.gguf`), bytes);
});

const resident = (id: string) =>
  shared()
    .app.engine.residents()
    .find((model) => model.id === id);

const missing = explainMissing(join(root, "dist/native"), "engine-hooks");

it.runIf(missing === null)(
  `settings that place tensors change no answer without a GPU${missing === null ? "" : ` (not run: ${missing})`}`,
  async () => {
    const ask = async (model: string) =>
      (await requestJson(shared(), { model, max_tokens: 8, deterministic: true })).choices[0]?.content;
    expect(await ask("placed")).toBe(await ask("plain"));
  },
);

describe("the setting template", () => {
  it.each(["as-text", "as-file"])("%s makes the prompts that a model's own template makes", async (model) => {
    const ask = async (id: string) => {
      const { choices, usage } = await requestJson(shared(), {
        model: id,
        max_tokens: 8,
        deterministic: true,
      });
      return [choices[0]?.content, usage?.prompt_tokens];
    };
    expect(await ask(model)).toEqual(await ask("own-template"));
    expect(await ask(model)).not.toEqual(await ask("plain"));
    expect(await ask("other-template")).not.toEqual(await ask("own-template"));
  });

  it("decides the form of tool calls, and what the model is listed to be able to do", async () => {
    const parameters = { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] };
    const tools = [{ type: "function", function: { name: "set_level", parameters } }];
    const { choices } = await requestJson(shared(), {
      model: "calling",
      tools,
      tool_choice: "required",
      max_tokens: 200,
    });
    expect(choices[0]?.calls.map(({ name }) => name)).toEqual(["set_level"]);
    expect(resident("calling")?.templateCall).not.toBe(resident("plain")?.templateCall);
    const capabilities = shared().app.models.find("calling")?.manifest.capabilities;
    expect(capabilities).toMatchObject({ tools: true, reasoning: false });
  });

  it("is what hearth doctor reads", async () => {
    const folder = temporaryFolder();
    await writeVerifiedModel(folder, "calling");
    const HEARTH_CONFIG = writeModelSettings(folder, { calling: { template: template("llama") } });
    const places = { HEARTH_MODELS: folder, HEARTH_DATA: join(folder, "data") };
    const own = runProgram(["doctor"], places);
    const replaced = runProgram(["doctor"], { ...places, HEARTH_CONFIG });
    await Promise.all([own.exited, replaced.exited]);
    const callIn = (stdout: string) => /^.*model calling: .*tool calls: (.*)$/m.exec(stdout)?.[1];
    expect(callIn(replaced.stdout())).toContain('"name": "');
    expect(callIn(own.stdout())).not.toBe(callIn(replaced.stdout()));
  });

  it.each([
    [
      "no-file",
      "its setting template names a file that cannot be read, or that is larger than 1000000 bytes.",
    ],
    ["invalid", "its chat template is not valid: "],
  ])("%s makes the model unavailable with the reason", async (model, reason) => {
    await expect(requestJson(shared(), { model })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining(reason) as string,
    });
  });
});

describe("the setting lora", () => {
  it("changes the answers of a model as much as its scale says; 0 changes nothing", async () => {
    const answers = await Promise.all(
      ["plain", "unchanged", "halved", "adapted", "twice"].map((model) => answerOf(shared(), model)),
    );
    const [plain, unchanged] = answers;
    expect(unchanged).toBe(plain);
    expect(new Set(answers).size).toBe(4);
  });

  it.each([
    ["missing", "its setting lora names the file 'nowhere.gguf', which is not a LoRA adapter in GGUF."],
    [
      "foreign",
      "'foreign.gguf', which cannot be applied: it adapts models of the architecture 'llama', and 'foreign' is a 'qwen3'.",
    ],
    ["larger", "its LoRA adapter 'larger.gguf' cannot be applied: LoRA tensor 'blk.2."],
  ])("makes the model %s unavailable with the reason and the name of the adapter", async (model, reason) => {
    const asked = requestJson(shared(), { model });
    await expect(asked).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining(reason) as string,
    });
    await expect(asked).rejects.not.toThrow(/hearth-test-/);
  });
});

describe("other settings of one model", () => {
  it("are its slots, its context and the type of its cache", async () => {
    for (const model of ["slots", "plain"]) await answerOf(shared(), model);
    expect(resident("slots")).toMatchObject({ slots: 2, contextTokens: 512 });
    expect(resident("plain")).toMatchObject({ slots: 4, contextTokens: 2048 });
    expect(resident("slots")?.bytes).toBeLessThan(resident("plain")?.bytes ?? 0);
  });

  it("are how long it stays in memory unused", async () => {
    await answerOf(shared(), "plain");
    await answerOf(shared(), "brief");
    await until(() => resident("brief") === undefined);
    expect(resident("plain")).toBeDefined();
  });
});

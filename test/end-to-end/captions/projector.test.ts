import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { writeCaptioner } from "../../kit/models/vision/captioner.js";
import { dataUrl, imagePart, textPart } from "./caption-server.js";

/** Writes a chat model and a projector that reads nothing into one folder, and a captioner into another. */
function publishedFolder(): string {
  const models = temporaryFolder();
  const [chat, captioner] = [join(models, "seeing"), join(models, "test-seer")];
  mkdirSync(chat);
  mkdirSync(captioner);
  writeFileSync(join(chat, "seeing-q8_0.gguf"), modelBytes());
  const projector = {
    "general.architecture": { type: "string", value: "clip" },
    "general.type": { type: "string", value: "mmproj" },
  } as const;
  writeFileSync(join(chat, "mmproj-seeing-f16.gguf"), modelBytes({ metadata: projector }));
  writeCaptioner(captioner);
  return models;
}

it("C8: a projector that reads nothing is no model of its own, and images go to the vision model", async () => {
  const prompts: string[] = [];
  const engine = createScriptedEngine((prompt) => (prompts.push(prompt), ["I see."]), {
    contextTokens: 4096,
  });
  const environment = { HEARTH_MODELS: publishedFolder(), HEARTH_VISION_MODEL: "test-seer" };
  const { client } = await startServer({ environment, engine });
  const ask = async (model: string) => {
    const content = [textPart("What is it?"), imagePart(await dataUrl("red"))];
    return client.chat.completions.create({ model, messages: [{ role: "user", content }] });
  };
  await ask("seeing-q8_0");
  expect(prompts.at(-1)).toContain("[image: red picture]");
  await expect(ask("mmproj-seeing-f16")).rejects.toMatchObject({ status: 404 });
});

it("hearth doctor says why a projector is not used, and finds its model usable", async () => {
  const doctor = runProgram(["doctor"], { HEARTH_MODELS: publishedFolder(), HEARTH_DATA: temporaryFolder() });
  await doctor.exited;
  expect(doctor.stdout()).not.toContain("model mmproj");
  expect(doctor.stdout()).toMatch(
    /model seeing-q8_0: .*its projector mmproj-seeing-f16\.gguf cannot be used/,
  );
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { writeCaptioner } from "../../kit/models/vision/captioner.js";
import { dataUrl, imagePart, textPart } from "./caption-server.js";

const sentence =
  /mmproj-seeing-f16.gguf' is refused: it is a vision projector \(mmproj\), .* a vision model describes images instead\./;

/** Writes a chat model and its projector into one folder, as they are published, and a captioner into another. */
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

it("C8: a vision projector beside a chat model is refused with the reason, and images go to the vision model", async () => {
  const prompts: string[] = [];
  const engine = createScriptedEngine((prompt) => (prompts.push(prompt), ["I see."]), {
    contextTokens: 4096,
  });
  const warn = vi.fn();
  const logger = { info: () => undefined, warn, error: () => undefined };
  const environment = { HEARTH_MODELS: publishedFolder(), HEARTH_VISION_MODEL: "test-seer" };
  const { client } = await startServer({ environment, engine, logger });
  const ask = async (model: string) => {
    const content = [textPart("What is it?"), imagePart(await dataUrl("red"))];
    return client.chat.completions.create({ model, messages: [{ role: "user", content }] });
  };
  await ask("seeing-q8_0");
  expect(prompts.at(-1)).toContain("[image: red picture]");
  await expect(ask("mmproj-seeing-f16")).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(sentence) as unknown,
  });
  expect(warn).toHaveBeenCalledWith(
    { model: "mmproj-seeing-f16", reason: expect.stringMatching(sentence) as unknown },
    "a model cannot be used",
  );
});

it("hearth doctor reports a vision projector with the reason", async () => {
  const doctor = runProgram(["doctor"], { HEARTH_MODELS: publishedFolder(), HEARTH_DATA: temporaryFolder() });
  expect(await doctor.exited).toBe(1);
  const line = doctor
    .stdout()
    .split("\n")
    .find((each) => each.includes("model mmproj-seeing-f16"));
  expect(line).toMatch(sentence);
});

import { join } from "node:path";
import { expect, it } from "vitest";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";

it("the start message names the context of each chat model, and what it was trained with where that is more", async () => {
  const models = temporaryFolder();
  await writeModel(join(models, "long.gguf"), { contextLength: 131_072 });
  const limited = await startProcess({ HEARTH_MODELS: models, HEARTH_CONTEXT_TOKENS_MAX: "4096" });
  await limited.line(/^(curl .*)$/);
  expect(limited.stdout()).toMatch(/^ {2}Models .*hearth-tiny-5m \(4096 tokens\)/m);
  expect(limited.stdout()).toMatch(/^ {2}Models .*long \(4096 of 131072 tokens\)/m);
  const free = await startProcess({ HEARTH_MODELS: models });
  await free.line(/^(curl .*)$/);
  expect(free.stdout()).toMatch(/^ {2}Models .*long \(131072 tokens\)/m);
});

/**
 * Threads that are kept between tokens, and the trial that finds how many a model is worth. The library that keeps them is compiled by the
 * build, on Linux and with a C compiler; installing the database library needs one, too.
 */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { openEngineHooks } from "../../../src/engine/native/engine-hooks.js";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";

const folder = join(root, "dist/native");
const isLinux = process.platform === "linux";

async function answerOf(client: OpenAI, model: string): Promise<string> {
  const completion = await client.chat.completions.create({
    model,
    messages: [{ role: "user", content: "Say hello to the lamp." }],
    temperature: 0,
    max_tokens: 12,
  });
  return completion.choices[0]?.message.content ?? "";
}

describe.runIf(isLinux)(`kept threads${isLinux ? "" : " (not run: the library is for Linux)"}`, () => {
  it("a model that uses several threads has one pool while it is in memory, and answers as without", async () => {
    const without = await startProcess({ HEARTH_THREADS: "2", HEARTH_THREAD_POOL: "off" });
    const expected = await answerOf(clientOf(without.url), builtInModel);
    const hooks = openEngineHooks(folder);
    if (hooks.type === "absent") throw new Error(hooks.reason);
    const countPools = (): number => hooks.exports.countPools();
    const before = countPools();
    const server = await startServer({ environment: { HEARTH_THREADS: "2" } });
    expect(await answerOf(server.client, builtInModel)).toBe(expected);
    expect(await answerOf(server.client, builtInModel)).toBe(expected);
    expect(countPools()).toBe(before + 1);
    await server.app.close();
    expect(countPools()).toBe(before);
  });

  it("doctor prints whether they are kept, and why not", async () => {
    const run = async (setting: string): Promise<string> => {
      const environment = { HEARTH_DATA: temporaryFolder(), HEARTH_THREAD_POOL: setting };
      const doctor = runProgram(["doctor"], environment);
      expect(await doctor.exited).toBe(0);
      return doctor.stdout();
    };
    expect(await run("auto")).toMatch(/^ *ok +threads: kept between tokens$/m);
    expect(await run("off")).toMatch(
      /^ *ok +threads: made anew for every token.*: it is turned off \(threadPool\)$/m,
    );
  });

  it("without the library, or with a file that is none, threads are made for every token and the reason is known", () => {
    const other = temporaryFolder();
    expect(openEngineHooks(other)).toMatchObject({ type: "absent", reason: /not compiled/ });
    writeFileSync(join(other, "engine-hooks.node"), "no library");
    expect(openEngineHooks(other)).toMatchObject({ type: "absent" });
  });
});

it("a model that is large enough for a trial of its threads is loaded and answers", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "wide.gguf");
  const shape = { layers: 2, embedding: 512, heads: 8, kvHeads: 2, feedForward: 3072, contextLength: 256 };
  await writeModel(file, { ...shape, weights: "F16" });
  expect(statSync(file).size).toBeGreaterThan(16_000_000);
  const server = await startServer({ environment: { HEARTH_MODELS: folder } });
  expect(await answerOf(server.client, "wide")).not.toBe("");
});

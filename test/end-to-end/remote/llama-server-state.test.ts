import { join } from "node:path";
import { describe, expect } from "vitest";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import {
  itWithLlamaServer as it,
  startLlamaServer,
  withoutLlamaServer,
} from "../../kit/doubles/llama-server/start.js";
import { firstChoice, requestJson } from "../../kit/clients/chat-answers.js";
import { contextTokens, enginesOf, modelFile } from "./placed.js";

describe(`the state of a llama-server${withoutLlamaServer}`, () => {
  it("is that of its model in lists of loaded models, and of the server where it has no other model", async () => {
    const server = await startLlamaServer(modelFile, { slots: 2, contextTokens });
    // The engine that other tests share has the model in memory, too.
    const app = await startServer({
      environment: { HEARTH_ENGINES: enginesOf(server.url) },
      hasOwnEngine: true,
    });
    await requestJson(app, { max_tokens: 2 });
    const deviceOf = async (): Promise<unknown> => {
      const { data } = (await getJson(app, "/v1/hearth/ps")) as {
        data: { id: string; device: string; slots: number }[];
      };
      return data.filter(({ id }) => id === builtInModel).map(({ device, slots }) => [device, slots]);
    };
    expect(await deviceOf()).toEqual([["llama-server (ready)", 2]]);
    expect(await getJson(app, "/readyz")).toEqual({ status: "ok" });
    server.child.kill("SIGKILL");
    await expect(requestJson(app, { max_tokens: 2 })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("engine of this model") as string,
    });
    expect(await deviceOf()).toEqual([["llama-server (does not answer)", 1]]);
    expect(await getJson(app, "/readyz")).toMatchObject({
      status: "ok",
      details: [expect.stringContaining("its engine, llama-server, does not answer")],
    });
    const port = Number(new URL(server.url).port);
    await startLlamaServer(modelFile, { slots: 2, contextTokens, port });
    expect(firstChoice(await requestJson(app, { max_tokens: 2 })).content).not.toBe("");
  });

  it("keeps a server from use that runs another model than the file here is of", async () => {
    const folder = temporaryFolder();
    await writeModel(join(folder, "other.gguf"), { words: ["Hello", "world"] });
    const server = await startLlamaServer(join(folder, "other.gguf"), { slots: 1, contextTokens: 256 });
    const app = await startServer({ environment: { HEARTH_ENGINES: enginesOf(server.url) } });
    await expect(requestJson(app)).rejects.toMatchObject({ status: 503 });
  });

  it("says that its key is refused, and nobody is shown the key", async () => {
    const server = await startLlamaServer(modelFile, {
      slots: 1,
      contextTokens,
      args: ["--api-key", "the-right-key"],
    });
    const wrong = await startServer({
      environment: { HEARTH_ENGINES: enginesOf(server.url, { apiKey: "the-wrong-key" }) },
    });
    await expect(requestJson(wrong)).rejects.toMatchObject({ status: 503 });
    const right = await startServer({
      environment: { HEARTH_ENGINES: enginesOf(server.url, { apiKey: "the-right-key" }) },
    });
    expect(firstChoice(await requestJson(right)).content).not.toBe("");
    for (const [apiKey, said] of [
      ["the-right-key", /ok {7}engine llama-server at .*: it is ready, 1 request at a time, 2048 tokens/],
      ["the-wrong-key", /failed {3}engine llama-server at .*: it refuses the apiKey/],
    ] as const) {
      const run = runProgram(["doctor"], {
        HEARTH_DATA: join(temporaryFolder(), "data"),
        HEARTH_ENGINES: enginesOf(server.url, { apiKey }),
      });
      await run.exited;
      expect(run.stdout()).toMatch(said);
      expect(run.stdout() + run.stderr()).not.toContain(apiKey);
    }
  });
});

async function getJson({ url: address }: TestServer, path: string): Promise<unknown> {
  return (await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${testKey}` } })).json();
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/config.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { requestJson } from "../../kit/clients/chat-answers.js";

const engine = { kind: "vllm", url: "http://10.0.0.5:8000", models: ["tiny"] };

describe("the setting of remote engines", () => {
  it("is the same in a file and in a variable, and says what is left out", () => {
    const path = join(temporaryFolder(), "hearth.yaml");
    writeFileSync(path, "engines:\n  - kind: vllm\n    url: http://10.0.0.5:8000/\n    models: [tiny]\n");
    const complete = {
      kind: "vllm",
      url: ["http://10.0.0.5:8000"],
      models: [{ id: "tiny", name: "tiny", contextTokens: null }],
      apiKey: null,
      maxConcurrency: null,
      prefixCache: "team",
    };
    expect(loadConfig({}, path).config.engines).toEqual([complete]);
    expect(loadConfig({ HEARTH_ENGINES: JSON.stringify([engine]) }).config.engines).toEqual([complete]);
  });

  it.each([
    [
      { ...engine, kind: "ollama" },
      /engines\.0\.kind \(set by HEARTH_ENGINES\): must be llama-server, vllm, sglang or openai/,
    ],
    [{ ...engine, url: "10.0.0.5:8000" }, /engines\.0\.url.* must be an address such as/],
    [{ ...engine, url: "http://me:secret@10.0.0.5" }, /engines\.0\.url.* without user/],
    [{ ...engine, models: [] }, /engines\.0\.models /],
    [{ ...engine, models: [{ id: "a" }] }, /engines\.0\.models\.0 .*must be the id of a model/],
    [{ ...engine, models: ["a", "a"] }, /engines\.0\.models\.1 .*'a' is there twice/],
    [{ ...engine, maxConcurrency: 0 }, /engines\.0\.maxConcurrency /],
    [{ ...engine, apikey: "x" }, /engines\.0 .*no such setting: apikey/],
  ])("that cannot be used is refused with its field: %j", (written, message) => {
    expect(() => loadConfig({ HEARTH_ENGINES: JSON.stringify([written]) })).toThrow(message);
  });

  it("lets the server start while an engine does not answer, and requests to its models fail with a reason", async () => {
    const placed = [{ kind: "llama-server", url: "http://127.0.0.1:1", models: [builtInModel] }];
    const app = await startServer({ environment: { HEARTH_ENGINES: JSON.stringify(placed) } });
    await expect(requestJson(app)).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/engine of this model does not answer/) as string,
    });
    const { details } = (await (await fetch(`${app.url}/readyz`)).json()) as { details: string[] };
    expect(details).toEqual([expect.stringContaining(`the model '${builtInModel}' does not answer`)]);
    expect(details.join()).not.toContain("127.0.0.1");
  });
});

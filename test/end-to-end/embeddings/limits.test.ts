import { onTestFinished, expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import { createLimitedTeam } from "../../kit/server/limited.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeEmbeddingModels } from "./embedding-models.js";

const startEmbedding = async () => {
  const models = temporaryFolder(onTestFinished);
  await writeEmbeddingModels(models);
  return createLimitedTeam(
    await startServer({ accounts: "managed", environment: { HEARTH_MODELS: models } }),
  );
};

it("embeddings count against the tokens per minute of their team, with the tokens that the model has read", async () => {
  const server = await startEmbedding();
  await server.limit({ tpm: 20 }, "bert");
  const statusOf = async (input: readonly unknown[]) =>
    (await server.post("/v1/embeddings", { model: "bert", input })).status;
  // Eight tokens each with the marks of the model, of which an estimate knows five.
  expect(await statusOf(["a cat", "a dog"])).toBe(200);
  expect(await statusOf(["a cat", "a dog"])).toBe(200);
  expect(await statusOf(["a cat", "a dog"])).toBe(429);
  expect(await statusOf([5, 6, 7])).toBe(200);
  expect(await statusOf([5, 6])).toBe(429);
});

it("embeddings need the ACL of their endpoint and of their model", async () => {
  const server = await startEmbedding();
  const post = async (acls: readonly string[], model: string) => {
    const { apiKey } = await server.newKey({ acls });
    const response = await server.post("/v1/embeddings", { model, input: "a cat" }, apiKey);
    return [response.status, await response.text()] as const;
  };
  expect(await post(["api-key:endpoint:chat", "api-key:model:*"], "bert")).toEqual([
    403,
    expect.stringContaining("api-key:endpoint:embed"),
  ]);
  const onlyNomic = ["api-key:endpoint:embed", "api-key:model:nomic-embed"];
  expect((await post(onlyNomic, "nomic-embed"))[0]).toBe(200);
  expect(await post(onlyNomic, "bert")).toEqual([403, expect.stringContaining("api-key:model:bert")]);
  // What the key may not use is not named.
  const chatAndNomic = [...onlyNomic, "api-key:model:hearth-tiny-5m"];
  const [status, text] = await post(chatAndNomic, "hearth-tiny-5m");
  expect([status, text.includes("nomic-embed"), text.includes("bge-small")]).toEqual([400, true, false]);
});

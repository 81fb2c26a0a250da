import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { openLedger } from "../../kit/ledger.js";
import { createScriptedEmbeddingEngine } from "../../kit/scripted/embedding-engine.js";
import type { ScriptedEmbeddingOptions } from "../../kit/scripted/embedding-engine.js";
import { price, writeEmbeddingModels } from "./embedding-models.js";

const startEmbedding = async (options: ScriptedEmbeddingOptions = {}) => {
  const data = join(temporaryFolder(), "data");
  const models = temporaryFolder();
  await writeEmbeddingModels(models);
  const embeddingEngine = createScriptedEmbeddingEngine(options);
  const server = await startServer({
    environment: { HEARTH_DATA: data, HEARTH_MODELS: models, HEARTH_SHUTDOWN_GRACE_MS: "0" },
    embeddingEngine,
  });
  return { ...server, embeddingEngine, ledger: await openLedger(data, "prepaid") };
};

const embed = ({ url }: TestServer, input: string | readonly string[], init: RequestInit = {}) =>
  fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "bert", input }),
    ...init,
  });

/** A text of as many tokens as one call of the engine evaluates. */
const fullCall = Array(512).fill("word").join(" ");

describe("an embedding in the ledger", () => {
  it("is rejected for a team with too few credits before anything is evaluated, and charged for each token", async () => {
    const { embeddingEngine, ledger, ...server } = await startEmbedding();
    await ledger.buy(5 * price - 1);
    expect((await embed(server, "one two three four five")).status).toBe(403);
    expect(embeddingEngine.calls).toBe(0);
    const answer = await embed(server, ["one two", "three"]);
    expect([answer.status, answer.headers.get("x-hearth-cost-ticks")]).toEqual([200, String(3 * price)]);
    expect(await ledger.balances()).toMatchObject({
      credit: BigInt(2 * price - 1),
      reserved: 0n,
      revenue: BigInt(3 * price),
    });
    expect(await ledger.ledger.verify()).toEqual([]);
  });

  it("whose client leaves is charged for what was evaluated, and frees its model", async () => {
    const leaving = new AbortController();
    const { embeddingEngine, ledger, ...server } = await startEmbedding({
      onCall: async (call, signal) => {
        if (call < 3) return;
        leaving.abort();
        await until(() => signal.aborted);
      },
    });
    await ledger.buy(5000 * price);
    await expect(embed(server, Array(5).fill(fullCall), { signal: leaving.signal })).rejects.toThrow(
      "aborted",
    );
    await until(() => embeddingEngine.leases === 0);
    await server.app.close();
    const [run] = await ledger.runs.list(1);
    expect(run).toMatchObject({
      state: "aborted",
      costTicks: 1024 * price,
      usage: { promptTokens: 1024 },
    });
    expect(await ledger.balances()).toMatchObject({ credit: BigInt(3976 * price), reserved: 0n });
    expect(await ledger.ledger.verify()).toEqual([]);
  });

  it("that fails costs nothing and does not show its cause", async () => {
    const { ledger, ...server } = await startEmbedding({
      onCall: (call) => (call === 1 ? Promise.resolve() : Promise.reject(new Error("a cable was cut"))),
    });
    await ledger.buy(2000 * price);
    const answer = await embed(server, [fullCall, fullCall]);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("cable");
    expect(await ledger.balances()).toMatchObject({
      credit: BigInt(2000 * price),
      reserved: 0n,
      revenue: 0n,
    });
    expect(await ledger.ledger.verify()).toEqual([]);
  });
});

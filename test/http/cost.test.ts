import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createScriptedEmbeddingEngine } from "../kit/scripted/embedding-engine.js";
import { createScriptedImageEngine } from "../kit/scripted/image-engine.js";
import { authorization, startLedgerServer, type LedgerServer } from "../kit/ledger.js";

const name = "x-hearth-cost-ticks";
const messages = [{ role: "user", content: "Hello" }];
const model = "hearth-tiny-5m";

/** A request of each other route that runs a model; all say the cost in their bodies, too, but for streams of images. */
const others: readonly (readonly [path: string, body: object])[] = [
  ["/v1/embeddings", { model: "hearth-embed-1m", input: ["a cat", "the stock market"] }],
  ["/v1/embeddings", { model: "hearth-embed-1m", input: [[1, 2, 3], [4]] }],
  ["/v1/rerank", { model: "hearth-embed-1m", query: "pets", documents: ["a cat", "the stock market"] }],
  ["/v1/images/generations", { prompt: "a red circle on white", response_format: "b64_json", n: 2 }],
  ["/v1/images/generations", { prompt: "a red circle on white", response_format: "b64_json", stream: true }],
];

/** A request of each route that generates text, and whether it can be streamed. */
const routes: readonly (readonly [path: string, body: object, streams: boolean])[] = [
  ["/v1/chat/completions", { model, messages, max_tokens: 8, n: 2 }, true],
  ["/v1/completions", { model, prompt: ["one two", "three"], max_tokens: 8 }, true],
  ["/v1/responses", { model, input: "Hello", max_output_tokens: 8, store: false }, true],
  ["/v1/responses", { model, input: "Hello", max_output_tokens: 8 }, true],
  ["/api/chat", { model, messages, stream: false, options: { num_predict: 8 } }, true],
  ["/api/generate", { model, prompt: "Hello", stream: false, options: { num_predict: 8 } }, true],
  ["/v1/responses/compact", { model, input: messages }, false],
  ["/v1/messages", { model, messages, max_tokens: 8 }, true],
  ["/v1/complete", { model, prompt: "\n\nHuman: Hello\n\nAssistant:", max_tokens_to_sample: 8 }, true],
];

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly trailers: NodeJS.Dict<string>;
  readonly body: string;
}

/** Sends a request with a client that reads trailers. */
function send(server: LedgerServer, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...authorization, "anthropic-version": "2023-06-01" };
    const sent = request(server.url + path, { method, headers }, (answer) => {
      const { headers: received, trailers, statusCode: status } = answer;
      text(answer).then((all) => resolve({ status, headers: received, trailers, body: all }), reject);
    });
    sent.on("error", reject).end(body === undefined ? "" : JSON.stringify(body));
  });
}

/** Does something, and returns what the ledger charged for it. */
async function charged(server: LedgerServer, work: () => Promise<Answer>): Promise<[Answer, string]> {
  const { revenue: before } = await server.balances();
  const answer = await work();
  return [answer, String((await server.balances()).revenue - before)];
}

describe("the cost of an answer is the charge of the ledger to the tick", () => {
  it("in a header of JSON answers and in a trailer of streams, in every dialect", async () => {
    const server = await startLedgerServer("prepaid", () => ["Good", " day."], { cachedTokens: 1 });
    await server.buy(1_000_000_000);
    for (const [path, body, streams] of routes) {
      const [whole, cost] = await charged(server, () => send(server, "POST", path, body));
      expect([path, whole.status, whole.headers[name]]).toEqual([path, 200, cost]);
      expect(Number(cost)).toBeGreaterThan(0);
      if (!streams) continue;
      const [stream, costOfStream] = await charged(server, () =>
        send(server, "POST", path, { ...body, stream: true }),
      );
      expect([path, stream.status, stream.trailers[name]]).toEqual([path, 200, costOfStream]);
      expect(stream.headers["trailer"]).toContain(name);
      expect(stream.headers).not.toHaveProperty(name);
    }
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("M1, M2: in header and body of vectors, rankings and images, within what was reserved", async () => {
    const server = await startLedgerServer("prepaid", () => ["Good"], {
      embeddingEngine: createScriptedEmbeddingEngine(),
      imageEngine: createScriptedImageEngine(),
    });
    await server.buy(100_000_000_000);
    for (const [path, body] of others) {
      const [answer, cost] = await charged(server, () => send(server, "POST", path, body));
      const said = "stream" in body ? cost : /"cost_in_usd_ticks":(\d+)/.exec(answer.body)?.[1];
      expect([path, answer.status, answer.headers[name], said]).toEqual([path, 200, cost, cost]);
      expect(Number(cost)).toBeGreaterThan(0);
    }
    const [ollama, cost] = await charged(server, () =>
      send(server, "POST", "/api/embed", { model: "hearth-embed-1m", input: ["a cat"] }),
    );
    expect([ollama.status, ollama.headers[name]]).toEqual([200, cost]);
    const runs = await server.database.kysely.selectFrom("runs").selectAll().execute();
    for (const run of runs) expect(run.costTicks).toBeLessThanOrEqual(run.boundTicks ?? 0);
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("M3: nothing when the server fails, before its first text or after it", async () => {
    const server = await startLedgerServer("prepaid", () => ["Good", new Error("out of luck")]);
    await server.buy(1_000_000_000);
    const body = { model, messages, max_tokens: 8 };
    const [whole, cost] = await charged(server, () => send(server, "POST", "/v1/messages", body));
    expect([whole.status, whole.headers[name], cost]).toEqual([500, "0", "0"]);
    const [stream, costOfStream] = await charged(server, () =>
      send(server, "POST", "/v1/messages", { ...body, stream: true }),
    );
    expect(stream.body).toContain("event: error");
    expect([stream.trailers[name], costOfStream]).toEqual(["0", "0"]);
  });

  it("on the answer of deferred and background work when it is fetched", async () => {
    const server = await startLedgerServer("prepaid", () => ["Good", " day."]);
    await server.buy(1_000_000_000);
    const fetched = async (path: string, isDone: (answer: Answer) => boolean): Promise<Answer> => {
      for (;;) {
        const answer = await send(server, "GET", path);
        if (isDone(answer)) return answer;
      }
    };
    const chat = { model, messages, max_tokens: 8, deferred: true };
    const [completion, cost] = await charged(server, async () => {
      const { body } = await send(server, "POST", "/v1/chat/completions", chat);
      const { request_id: id } = JSON.parse(body) as { readonly request_id: string };
      return fetched(`/v1/chat/deferred-completion/${id}`, ({ status }) => status === 200);
    });
    expect(completion.headers[name]).toBe(cost);
    const background = { model, input: "Hello", max_output_tokens: 8, background: true };
    const [response, costOfResponse] = await charged(server, async () => {
      const queued = await send(server, "POST", "/v1/responses", background);
      expect(queued.headers).not.toHaveProperty(name);
      const { id } = JSON.parse(queued.body) as { readonly id: string };
      return fetched(`/v1/responses/${id}`, ({ body }) => body.includes('"status":"completed"'));
    });
    expect(response.headers[name]).toBe(costOfResponse);
  });
});

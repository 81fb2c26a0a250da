/** No run is charged or counted above what was reserved for it, whatever its engine says; and its answer says what it was charged. */
import { describe, expect, it } from "vitest";
import { authorization } from "../../kit/ledger.js";
import { expectBounded, prices, routes, send, startHosted, type Path } from "./hosted.js";

/** What servers claim to have used for a prompt of a word and an answer of two tokens. */
const claims = {
  "a prompt beyond its context": { prompt_tokens: 5_000_000, completion_tokens: 2, total_tokens: 5_000_002 },
  "an answer beyond max_tokens": { prompt_tokens: 9, completion_tokens: 5_000_000, total_tokens: 5_000_009 },
  "reasoning that it counts apart": {
    prompt_tokens: 9,
    completion_tokens: 5_000,
    total_tokens: 10_009,
    completion_tokens_details: { reasoning_tokens: 5_000 },
  },
  "numbers whose cost cannot be counted": {
    prompt_tokens: Number.MAX_SAFE_INTEGER,
    completion_tokens: Number.MAX_SAFE_INTEGER,
    total_tokens: Number.MAX_SAFE_INTEGER,
  },
  "a cached prompt that is longer than the prompt": {
    prompt_tokens: 9,
    completion_tokens: 2,
    total_tokens: 11,
    prompt_tokens_details: { cached_tokens: 5_000_000 },
  },
} as const;

const paths = Object.keys(routes) as readonly Path[];

/** Returns the cost in the last object of an answer that has one; null where its dialect has none. */
function costIn(text: string): number | null {
  const costs = [...text.matchAll(/"cost_in_usd_ticks":(\d+)/g)].map(([, ticks]) => Number(ticks));
  return costs.at(-1) ?? null;
}

describe("an engine that claims more than a request can use", () => {
  it.each(["unmetered", "prepaid"] as const)(
    "M1, M2: changes nothing of the bound, and header, body and ledger agree (%s)",
    async (billing) => {
      const server = await startHosted(billing);
      if (billing === "prepaid") await server.buy(1e12);
      const isCosted = (path: Path) => path === "/v1/chat/completions" || path === "/v1/responses";
      const problems: unknown[] = [];
      for (const [claim, usage] of Object.entries(claims))
        for (const path of paths)
          for (const stream of [false, true]) {
            server.double.restart(() => ({ deltas: [{ content: "Hi there" }], usage }));
            const { revenue: before } = await server.balances();
            const more =
              path === "/v1/chat/completions" && stream ? { stream_options: { include_usage: true } } : {};
            const answer = await send(server, path, { ...more, stream });
            const body = await answer.text();
            const { revenue } = await server.balances();
            const charged = Number(revenue - before);
            const [run] = await server.runs.list(1);
            const header = answer.headers.get("x-hearth-cost-ticks");
            const said = costIn(body);
            const agree =
              answer.status === 200 &&
              run?.costTicks === charged &&
              (stream || header === String(charged)) &&
              said === (isCosted(path) ? charged : null);
            if (!agree) problems.push({ claim, path, stream, charged, header, said, cost: run?.costTicks });
          }
      expect(problems).toEqual([]);
      await expectBounded(server);
    },
  );

  it("M1: exceeds no hard budget in USD, whatever comes at once", async () => {
    const server = await startHosted("unmetered");
    const hardTicks = 20_000_000;
    await server.limit({ hardTicks });
    const usage = claims["an answer beyond max_tokens"];
    server.double.restart(() => ({ deltas: [{ content: "Hi" }], usage }));
    const statuses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const answers = await Promise.all(paths.flatMap((path) => [send(server, path), send(server, path)]));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const { ticks, reserved } = await server.spent();
    expect([ticks <= BigInt(hardTicks), ticks > BigInt(hardTicks / 2), reserved]).toEqual([true, true, 0]);
    await expectBounded(server);
  });

  it("M1: exceeds no hard budget in tokens", async () => {
    const server = await startHosted("unmetered");
    await server.limit({ hardTokens: 500 });
    server.double.restart(() => ({ usage: claims["a prompt beyond its context"] }));
    const statuses: number[] = [];
    for (let round = 0; round < 20; round += 1) statuses.push((await send(server, "/v1/messages")).status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await server.spent()).tokens).toBeLessThanOrEqual(500);
    await expectBounded(server);
  });

  it("M1: is believed where a dense prompt has more tokens than the estimate: as many as it has bytes", async () => {
    const server = await startHosted("unmetered");
    const content = "7".repeat(400);
    const usage = { prompt_tokens: 408, completion_tokens: 2, total_tokens: 410 };
    server.double.restart(() => ({ usage }));
    const answer = await send(server, "/v1/chat/completions", { messages: [{ role: "user", content }] });
    const { usage: said } = (await answer.json()) as { readonly usage: object };
    expect(said).toMatchObject({
      prompt_tokens: 408,
      cost_in_usd_ticks: 408 * prices.prompt + 2 * prices.completion,
    });
    await expectBounded(server);
  });
});

describe("usage that cannot be true", () => {
  const text = "A sentence of some length, which every vocabulary cuts into tokens.";
  const estimated = Math.ceil(text.length / 4);
  const long = "word ".repeat(200);
  it.each([
    ["{0, 0}", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ["no usage", null],
    ["usage of the prompt alone", { prompt_tokens: 300 }],
    ["usage of the answer alone", { completion_tokens: 1 }],
    ["fractions", { prompt_tokens: 0.5, completion_tokens: 0.5 }],
    ["negative numbers", { prompt_tokens: -5, completion_tokens: -5 }],
    ["fewer tokens than a text of that length has", { prompt_tokens: 1, completion_tokens: 0 }],
  ])("M5: %s with a text is replaced by an estimate, which is charged", async (_, usage) => {
    const server = await startHosted("unmetered");
    server.double.restart(() => ({ deltas: [{ content: text }], usage }));
    const answer = await send(server, "/v1/chat/completions", {
      messages: [{ role: "user", content: long }],
      max_tokens: 100,
    });
    expect(answer.headers.get("x-hearth-warning")).toMatch(/tokens are estimated/);
    const { usage: said } = (await answer.json()) as { readonly usage: Record<string, number> };
    const promptTokens = long.length / 4 + 4;
    expect(said).toMatchObject({
      prompt_tokens: promptTokens,
      completion_tokens: estimated,
      cost_in_usd_ticks: promptTokens * prices.prompt + estimated * prices.completion,
    });
    await expectBounded(server);
  });
});

describe("an answer that is not what was asked for", () => {
  const schema = { type: "object", properties: { mood: { enum: ["glad"] } }, required: ["mood"] };
  const asSchema = { response_format: { type: "json_schema", json_schema: { name: "s", schema } } };
  const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
  const attempt = 9 * prices.prompt + 5 * prices.completion;

  it("M3: costs what all its attempts have used, and says so", async () => {
    const server = await startHosted("prepaid");
    await server.buy(1e10);
    server.double.restart(() => ({ deltas: [{ content: "no JSON at all" }], usage }));
    const answer = await send(server, "/v1/chat/completions", asSchema);
    expect([answer.status, answer.headers.get("x-hearth-cost-ticks")]).toEqual([500, String(3 * attempt)]);
    expect(server.double.bodies).toHaveLength(3);
    expect((await server.balances()).revenue).toBe(BigInt(3 * attempt));
    await expectBounded(server);
  });

  it("M3: never spends more at its server than a hard budget has", async () => {
    const server = await startHosted("unmetered");
    const hardTicks = 30 * attempt;
    await server.limit({ hardTicks });
    server.double.restart(() => ({ deltas: [{ content: "no JSON at all" }], usage }));
    const statuses: number[] = [];
    for (let round = 0; round < 40; round += 1)
      statuses.push((await send(server, "/v1/chat/completions", asSchema)).status);
    expect(new Set(statuses)).toEqual(new Set([500, 429]));
    expect(server.double.bodies.length).toBeGreaterThan(3);
    expect(server.double.bodies.length * attempt).toBeLessThanOrEqual(hardTicks);
    expect((await server.spent()).ticks).toBe(BigInt(server.double.bodies.length * attempt));
    await expectBounded(server);
  });

  it.each([
    ["calls no tool where one is required", { tool_choice: "required" }, {}],
    [
      "calls several tools where one may be called",
      { parallel_tool_calls: false },
      {
        deltas: [0, 1].map((index) => ({
          tool_calls: [{ index, id: `c${index}`, function: { name: "add", arguments: "{}" } }],
        })),
        finish: "tool_calls",
      },
    ],
  ])("M6: costs what its server has counted where it %s, not an estimate", async (_, more, reply) => {
    const server = await startHosted("unmetered");
    server.double.restart(() => ({ ...reply, usage }));
    const tools = [{ type: "function", function: { name: "add", parameters: { type: "object" } } }];
    const answer = await send(server, "/v1/chat/completions", { tools, ...more });
    const [run] = await server.runs.list(1);
    expect([answer.status, answer.headers.get("x-hearth-cost-ticks")]).toEqual([500, String(run?.costTicks)]);
    expect(run).toMatchObject({ costTicks: server.double.bodies.length * attempt, state: "failed" });
    await expectBounded(server);
  });
});

describe("a fault of the engine", () => {
  it.each([
    ["loses the connection", { then: "connection lost" }],
    ["ends its answer without a reason", { finish: null }],
    ["refuses the request", { status: 500 }],
  ] as const)("M3: costs nothing and counts nowhere where it %s", async (_, reply) => {
    const server = await startHosted("prepaid");
    await server.buy(1e10);
    await server.limit({ hardTokens: 10_000 });
    server.double.restart(() => ({ deltas: [{ content: "one two" }], ...reply }));
    for (const path of paths)
      for (const stream of [false, true]) await (await send(server, path, { stream })).text();
    const runs = await server.runs.list(99);
    expect(runs.map(({ costTicks }) => costTicks)).toEqual(runs.map(() => 0));
    expect((await server.balances()).credit).toBe(10_000_000_000n);
    expect(await server.spent()).toMatchObject({ ticks: 0n, tokens: 0, reserved: 0 });
    await expectBounded(server);
  });

  it("M2: a stored response that failed says what it was charged, streamed and when it is read", async () => {
    const server = await startHosted("unmetered");
    const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
    server.double.restart(() => ({ deltas: [{ content: "one two" }], finish: "content_filter", usage }));
    const text = await (await send(server, "/v1/responses", { stream: true })).text();
    const [, id] = /"id":"(resp_[^"]+)"/.exec(text) ?? [];
    const stored = await fetch(`${server.url}/v1/responses/${id}`, { headers: authorization });
    const [run] = await server.runs.list(1);
    const costs = [
      costIn(text),
      costIn(await stored.text()),
      Number(stored.headers.get("x-hearth-cost-ticks")),
    ];
    expect(costs).toEqual(costs.map(() => 9 * prices.prompt + 5 * prices.completion));
    expect(run?.costTicks).toBe(costs[0]);
  });
});

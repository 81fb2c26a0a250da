import { describe, expect, it, onTestFinished } from "vitest";
import {
  completionRequest,
  authorization,
  maxCostTicks,
  complete,
  prices,
  startLedgerServer,
} from "../../../kit/ledger.js";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { type TestServer, startServer } from "../../../kit/server.js";
import { gate, until, eventually } from "../../../kit/until.js";

const [prompt, completion] = [3 * prices.prompt, prices.completion];

async function defer({ url }: TestServer): Promise<{ readonly request_id: string }> {
  const messages = [{ role: "user", content: "Hello" }];
  const body = JSON.stringify({ model: completionRequest.model, messages, max_tokens: 8, deferred: true });
  const init = { method: "POST", headers: authorization, body };
  return (await (await fetch(`${url}/v1/chat/completions`, init)).json()) as { readonly request_id: string };
}

/** Returns the outcome of a deferred completion when it is available. */
async function fetched({ url }: TestServer, id: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(`${url}/v1/chat/deferred-completion/${id}`, { headers: authorization });
    if (answer.status !== 202) return answer;
    await answer.arrayBuffer();
  }
}

interface UsageBody {
  readonly usage: { readonly cost_in_usd_ticks: number };
}

describe("a prepaid team", () => {
  it("reserves the most that a request can cost, is charged the true cost, and gets the rest back", async () => {
    const held = gate();
    const server = await startLedgerServer("prepaid", () => ["a b", held.opened, " c"]);
    await server.buy(maxCostTicks + 5);
    const answering = complete(server);
    await until(() => server.app.liveRuns.size === 1);
    await until(() => server.app.scheduler.load.running === 1);
    await eventually(async () =>
      expect(await server.balances()).toMatchObject({ credit: 5n, reserved: BigInt(maxCostTicks) }),
    );
    expect(await server.ledger.verify()).toEqual([]);
    held.open();
    expect((await answering).status).toBe(200);
    const cost = prompt + 3 * completion;
    expect(await server.transactions()).toEqual([
      ["purchase", { credit: maxCostTicks + 5, purchases: -maxCostTicks - 5 }],
      ["reserve", { credit: -maxCostTicks, reserved: maxCostTicks }],
      ["settle", { reserved: -maxCostTicks, revenue: cost, credit: maxCostTicks - cost }],
    ]);
    expect((await server.runs.list(1))[0]).toMatchObject({ costTicks: cost, reservedTicks: maxCostTicks });
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("gets the exact cost of the ledger in the usage of the answer", async () => {
    const server = await startLedgerServer("prepaid", () => ["a b c"], { cachedTokens: 2 });
    await server.buy(1_000_000_000);
    const response = await fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: completionRequest.model, input: "Hello", max_output_tokens: 8 }),
    });
    const { usage } = (await response.json()) as UsageBody;
    expect(usage.cost_in_usd_ticks).toBeGreaterThan(0);
    expect((await server.balances()).revenue).toBe(BigInt(usage.cost_in_usd_ticks));
    expect(await server.ledger.verify()).toEqual([]);
  });

  it.each([
    ["/v1/completions", { prompt: "Hello", max_tokens: 8 }],
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Hello" }], stream: true }],
    ["/v1/responses", { input: "Hello" }],
    ["/v1/responses/compact", { input: "Hello" }],
  ])("without credit is rejected by %s as by the hosted service, before any work", async (path, body) => {
    const server = await startLedgerServer("prepaid", () => ["never"]);
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: completionRequest.model, ...body }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      code: "The caller does not have permission to execute the specified operation",
      error: {
        message: expect.stringMatching(
          /^Your team \S+ has either used all available credits or reached its monthly spending limit\. /,
        ) as string,
        type: "insufficient_quota",
        param: null,
        code: "insufficient_quota",
      },
    });
    expect(server.app.engine.residents()).toEqual([]);
    expect(await server.transactions()).toEqual([]);
  });

  it.each([
    ["/v1/messages", { max_tokens: 8, messages: [{ role: "user", content: "Hello" }] }],
    ["/v1/complete", { max_tokens_to_sample: 8, prompt: "\n\nHuman: Hello\n\nAssistant:" }],
  ])("without credit is rejected by %s in Anthropic's format", async (path, body) => {
    const server = await startLedgerServer("prepaid", () => ["never"]);
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { ...authorization, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: completionRequest.model, ...body }),
    });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: {
        type: "billing_error",
        message: expect.stringContaining("used all available credits") as string,
      },
    });
  });

  it("that has less than a request can cost gets that amount in the error", async () => {
    const server = await startLedgerServer("prepaid", () => ["never"]);
    await server.buy(maxCostTicks - 1);
    const response = await complete(server);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("This request may cost up to 0.00000035 USD");
    expect(await server.runs.list(1)).toEqual([]);
  });

  it("F14: with credit for one request gets exactly one of 100 concurrent requests served", async () => {
    const held = gate();
    const server = await startLedgerServer("prepaid", () => ["a b", held.opened], { slots: 100 });
    await server.buy(maxCostTicks);
    const statuses: number[] = [];
    const all = Array.from({ length: 100 }, async () => {
      const response = await complete(server);
      statuses.push(response.status);
      await response.arrayBuffer();
    });
    await until(() => statuses.length === 99);
    expect(statuses.every((status) => status === 403)).toBe(true);
    held.open();
    await Promise.all(all);
    expect(statuses.at(-1)).toBe(200);
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(prompt + 2 * completion) });
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("is charged exactly for what was produced when its client disconnects", async () => {
    const server = await startLedgerServer("prepaid", () => ["a b", new Promise(() => undefined)]);
    await server.buy(maxCostTicks);
    const controller = new AbortController();
    const response = await complete(server, { stream: true }, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await until(() => server.app.liveRuns.size === 0);
    const cost = prompt + 2 * completion;
    expect((await server.runs.list(1))[0]).toMatchObject({ state: "aborted", costTicks: cost });
    expect((await server.transactions()).at(-1)).toEqual([
      "settle",
      { reserved: -maxCostTicks, revenue: cost, credit: maxCostTicks - cost },
    ]);
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("M3: is charged nothing when the engine fails", async () => {
    const server = await startLedgerServer("prepaid", () => ["a", new Error("out of luck")]);
    await server.buy(maxCostTicks);
    expect((await complete(server)).status).toBe(500);
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: 0n });
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("reserves for every choice and every prompt", async () => {
    const server = await startLedgerServer("prepaid", () => ["a b"]);
    const each = { prompt: ["one two three", "four"], n: 3, max_tokens: 2 };
    const most = 4 * prices.prompt + 12 * completion;
    await server.buy(most - 1);
    expect((await complete(server, each)).status).toBe(403);
    await server.buy(1);
    expect((await complete(server, each)).status).toBe(200);
    expect(await server.balances()).toMatchObject({ credit: 0n, reserved: 0n, revenue: BigInt(most) });
  });

  it("gets a failed deferred completion when it has no credit at its start", async () => {
    const server = await startLedgerServer("prepaid", () => ["never"]);
    const { request_id } = await defer(server);
    const answer = await fetched(server, request_id);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("insufficient_quota");
  });
});

describe("an unmetered team", () => {
  it("is never rejected, and every run is priced and in the ledger", async () => {
    const server = await startLedgerServer("unmetered", () => ["a b"]);
    expect((await complete(server)).status).toBe(200);
    const cost = prompt + 2 * completion;
    expect(await server.transactions()).toEqual([["settle", { owed: -cost, revenue: cost }]]);
    expect((await server.runs.list(1))[0]).toMatchObject({ costTicks: cost, reservedTicks: null });
    expect(await server.ledger.verify()).toEqual([]);
  });
});

it("a deferred completion that a closing server requeues costs nothing until it runs, and is charged once", async () => {
  const server = await startLedgerServer("prepaid", () => ["a b", new Promise(() => undefined)]);
  await server.buy(1_000_000_000);
  const { request_id } = await defer(server);
  await until(() => server.app.scheduler.load.running === 1);
  await server.app.close();
  expect((await server.runs.list(1))[0]).toMatchObject({ state: "interrupted", costTicks: 0 });
  expect(await server.balances()).toMatchObject({ credit: 1_000_000_000n, reserved: 0n });
  const next = await startServer({
    environment: { HEARTH_DATA: server.data },
    engine: createScriptedEngine(() => ["a b"]),
  });
  const answer = await fetched(next, request_id);
  expect(answer.status).toBe(200);
  const [run] = await server.runs.list(1);
  expect(run?.state).toBe("completed");
  expect((await server.balances()).revenue).toBe(BigInt(run?.costTicks ?? 0));
  expect(await server.ledger.verify()).toEqual([]);
});

it("M3: a server that closes during a run charges nothing", async () => {
  const server = await startLedgerServer("prepaid", () => ["a b", new Promise(() => undefined)]);
  await server.buy(maxCostTicks);
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const answering = complete(server, { stream: true }, { signal: controller.signal });
  const answer = await answering;
  const closing = server.app.close();
  await answer.text().catch(() => undefined);
  await closing;
  expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: 0n });
  expect(await server.ledger.verify()).toEqual([]);
});

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { fileServer, startServer } from "../../kit/server.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";
import { gate, until } from "../../kit/until.js";
import {
  anthropicRoutes,
  chat,
  createLimitedTeam,
  openaiRoutes,
  openaiLimitHeaders,
  readResponse,
  type LimitedTeam,
} from "../../kit/server/limited.js";

/** Its clock goes on from test to test. */
const shared = fileServer({ accounts: "managed" });

/** Sends three requests, 10 ms apart; the limit is three per minute. */
async function sendThree(server: LimitedTeam, path: string, body: object) {
  const answers = [];
  for (let at = 0; at < 3; at += 1) {
    answers.push(await readResponse(server.post(path, body)));
    server.clock.advance(10);
  }
  return answers;
}

describe("a limit of requests per minute", () => {
  it.each([...openaiRoutes, ...anthropicRoutes])(
    "admits %s up to the limit, and again as soon as the first request leaves the window: %j",
    async (path, body) => {
      const server = await createLimitedTeam(shared());
      await server.limit({ qpm: 3 });
      expect((await sendThree(server, path, body)).map(({ status }) => status)).toEqual([200, 200, 200]);
      const refused = await readResponse(server.post(path, body));
      expect([refused.status, refused.header("retry-after-ms"), refused.header("retry-after")]).toEqual([
        ...[429, "59970", "60"],
      ]);
      expect(refused.header("x-should-retry")).toBe("true");
      server.clock.advance(59_969);
      expect((await readResponse(server.post(path, body))).header("retry-after-ms")).toBe("1");
      server.clock.advance(1);
      expect((await readResponse(server.post(path, body))).status).toBe(200);
      const again = await readResponse(server.post(path, body));
      expect([again.status, again.header("retry-after-ms")]).toEqual([429, "10"]);
    },
  );

  it("is reported in every response of OpenAI and xAI routes, with refusals in their format", async () => {
    const server = await createLimitedTeam(shared());
    await server.limit({ qpm: 3 });
    const left = (await sendThree(server, ...chat)).map(({ header }) =>
      ["limit", "remaining", "reset"].map((name) => header(`x-ratelimit-${name}-requests`)),
    );
    expect(left).toEqual([
      ["3", "2", "1m0s"],
      ["3", "1", "1m0s"],
      ["3", "0", "1m0s"],
    ]);
    const refused = await server.post(...chat);
    expect(openaiLimitHeaders(refused.headers)).toEqual([
      "limit-requests 3",
      "remaining-requests 0",
      "reset-requests 59.99s",
    ]);
    expect(await refused.json()).toEqual({
      code: "Some resource has been exhausted",
      error: {
        message:
          `Rate limit reached for ${builtInModel} in team ${server.teamId} on requests per min (RPM): ` +
          "Limit 3, Used 3, Requested 1. Please try again in 59.97s.",
        type: "rate_limit_error",
        param: null,
        code: "rate_limit_exceeded",
      },
    });
  });

  it("is reported in every response of Anthropic routes, with refusals in their format", async () => {
    const server = await createLimitedTeam(shared());
    await server.limit({ qpm: 3, tpm: 1000 });
    const began = server.clock.now();
    const [path, body] = anthropicRoutes[0] ?? ["", {}];
    const [first] = await sendThree(server, path, body);
    expect(first?.header("anthropic-ratelimit-requests-remaining")).toBe("2");
    const refused = await readResponse(server.post(path, body));
    expect(refused.header("anthropic-ratelimit-requests-limit")).toBe("3");
    expect(refused.header("anthropic-ratelimit-requests-remaining")).toBe("0");
    expect(refused.header("anthropic-ratelimit-requests-reset")).toBe(new Date(began + 60_020).toISOString());
    expect(refused.header("anthropic-ratelimit-tokens-limit")).toBe("1000");
    expect(JSON.parse(refused.text)).toMatchObject({
      type: "error",
      error: {
        type: "rate_limit_error",
        message: expect.stringMatching(/^Rate limit reached for /) as string,
      },
    });
  });

  it("adds no headers when there is no limit", async () => {
    const server = await createLimitedTeam(shared());
    const { headers } = await server.post(...chat);
    expect([...headers].filter(([name]) => name.includes("ratelimit") || name.includes("retry"))).toEqual([]);
  });
});

describe("limits of a key", () => {
  it("count every request of the key before its body is read, whatever its outcome", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ qpm: 3 });
    const first = await readResponse(server.post(...chat, apiKey));
    expect(first.header("x-ratelimit-remaining-requests")).toBe("2");
    expect((await readResponse(server.post("/v1/chat/completions", { model: 7 }, apiKey))).status).toBe(422);
    const cancelled = server.post("/v1/responses/resp_unknown/cancel", {}, apiKey);
    expect((await readResponse(cancelled)).status).toBe(404);
    const unread = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      body: "not even JSON",
    });
    expect(unread.status).toBe(429);
    expect(await unread.text()).toMatch(/Rate limit reached for API key hk-\.\.\.\S{4} on requests per min/);
  });

  it("are not consumed by reads, which show no limits either", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ qps: 1, qpm: 1, tpm: 1_000 });
    const response = await readResponse(
      server.post("/v1/responses", { model: builtInModel, input: "Hello" }, apiKey),
    );
    const { id } = JSON.parse(response.text) as { id: string };
    const get = (path: string) =>
      readResponse(fetch(server.url + path, { headers: { authorization: `Bearer ${apiKey}` } }));
    for (const path of [
      "/v1/models",
      "/v1/api-key",
      `/v1/responses/${id}`,
      `/v1/responses/${id}/input_items`,
    ]) {
      const { status, header } = await get(path);
      expect([path, status, header("x-ratelimit-limit-requests")]).toEqual([path, 200, null]);
    }
    expect((await readResponse(server.post(...chat, apiKey))).status).toBe(429);
    server.clock.advance(60_000);
    expect((await readResponse(server.post(...chat, apiKey))).status).toBe(200);
  });

  it("apply to no other key of the team, and an unknown key counts for none", async () => {
    const server = await createLimitedTeam(shared());
    const one = await server.newKey({ qps: 1 });
    expect((await readResponse(server.post(...chat, one.apiKey))).status).toBe(200);
    const refused = await readResponse(server.post(...chat, one.apiKey));
    expect([refused.status, refused.header("retry-after"), refused.header("retry-after-ms")]).toEqual([
      429,
      "1",
      "1000",
    ]);
    expect(refused.text).toContain(
      "on requests per sec (RPS): Limit 1, Used 1, Requested 1. Please try again in 1s.",
    );
    expect((await readResponse(server.post(...chat))).status).toBe(200);
    expect((await readResponse(server.post(...chat, "hk-of-nobody"))).status).toBe(401);
    server.clock.advance(999);
    expect((await readResponse(server.post(...chat, one.apiKey))).status).toBe(429);
    server.clock.advance(1);
    expect((await readResponse(server.post(...chat, one.apiKey))).status).toBe(200);
  });

  it("are not consumed by requests that the team's limits refuse", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ qpm: 3 });
    await server.limit({ qpm: 1 });
    expect((await readResponse(server.post(...chat, apiKey))).status).toBe(200);
    for (let at = 0; at < 9; at += 1) {
      const refused = await readResponse(server.post(...chat, apiKey));
      expect([refused.status, refused.text.includes("in team")]).toEqual([429, true]);
    }
    await server.limit({});
    const next = await readResponse(server.post(...chat, apiKey));
    expect([next.status, next.header("x-ratelimit-remaining-requests")]).toEqual([200, "1"]);
  });
});

describe("limits of a team", () => {
  it("apply to each model separately, and limits of a model replace those of every model", async () => {
    const server = await createLimitedTeam(shared());
    const tokens = (model: string) => server.post("/v1/tokenize-text", { model, text: "Hello" });
    await server.limit({ qpm: 1 });
    await server.limit({ qpm: 2 }, builtInModel);
    const statuses = [];
    for (const model of [builtInModel, "gpt-4o", builtInModel, "gpt-4o", "gpt-4", builtInModel])
      statuses.push((await readResponse(tokens(model))).status);
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429]);
  });

  it("count the requests of all keys of the team together, and of no other team", async () => {
    const server = await createLimitedTeam(shared());
    await server.limit({ qpm: 2 });
    const keys = [await server.newKey(), await server.newKey()];
    for (const { apiKey } of keys)
      expect((await readResponse(server.post(...chat, apiKey))).status).toBe(200);
    expect((await readResponse(server.post(...chat))).status).toBe(429);
    const other = await server.createKey(await server.createTeam("other"), {
      acls: ["api-key:endpoint:*", "api-key:model:*"],
    });
    const text = { model: builtInModel, text: "Hello" };
    expect((await readResponse(server.post("/v1/tokenize-text", text, other.apiKey))).status).toBe(200);
  });

  it("apply from the next request after a change and keep the counts", async () => {
    const server = await createLimitedTeam(shared());
    const key = await server.newKey({ qpm: 1 });
    const send = async () => (await readResponse(server.post(...chat, key.apiKey))).status;
    expect([await send(), await send()]).toEqual([200, 429]);
    await server.request("PUT", `/auth/api-keys/${key.apiKeyId}`, { apiKey: { qpm: 3 }, fieldMask: "qpm" });
    expect([await send(), await send(), await send()]).toEqual([200, 200, 429]);
    await server.request("PUT", `/auth/api-keys/${key.apiKeyId}`, { apiKey: {}, fieldMask: "qpm" });
    expect(await send()).toBe(200);
    await server.limit({ qpm: 1 });
    expect([await send(), await send()]).toEqual([200, 429]);
    await server.limit({});
    expect(await send()).toBe(200);
  });
});

describe("100 concurrent requests", () => {
  it.each([
    ["requests", { qpm: 7 }],
    ["requests in a second", { qps: 7 }],
    ["tokens", { tpm: 15 }],
  ])("are admitted exactly 7 times with a remainder of 7 requests by a limit of %s", async (_, limits) => {
    const held = gate();
    const server = await createLimitedTeam(
      await startServer({ accounts: "managed", engine: () => ["Good", held.opened], slots: 100 }),
    );
    const { apiKey } = await server.newKey();
    await server.limit(limits);
    const statuses: number[] = [];
    // Two tokens, whether they are counted or, where too many texts wait for that, estimated by the length of the text.
    const body = { ...chat[1], messages: [{ role: "user", content: "Good day" }] };
    const all = Array.from({ length: 100 }, async () => {
      const { status } = await readResponse(server.post(chat[0], body, apiKey));
      statuses.push(status);
    });
    await until(() => statuses.length === 93);
    expect(statuses.every((status) => status === 429)).toBe(true);
    held.open();
    await Promise.all(all);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
  });
});

describe("the official clients", () => {
  it("raise their rate limit error, with the headers", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ qpm: 2 });
    const openai = clientOf(server.url, apiKey);
    const anthropic = new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "Hello" }];
    await openai.chat.completions.create({ model: builtInModel, messages });
    await anthropic.messages.create({ model: builtInModel, max_tokens: 8, messages });
    const refusals = [
      openai.chat.completions.create({ model: builtInModel, messages }),
      openai.responses.create({ model: builtInModel, input: "Hello" }),
    ];
    for (const refusal of refusals) {
      const error: unknown = await refusal.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" });
      const { headers } = error as InstanceType<typeof OpenAI.RateLimitError>;
      expect([headers.get("retry-after-ms"), headers.get("x-should-retry")]).toEqual(["60000", "true"]);
    }
    const sent = anthropic.messages.create({ model: builtInModel, max_tokens: 8, messages });
    const error: unknown = await sent.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    const { headers } = error as InstanceType<typeof Anthropic.RateLimitError>;
    expect([headers.get("retry-after"), headers.get("anthropic-ratelimit-requests-remaining")]).toEqual([
      "60",
      "0",
    ]);
  });
});

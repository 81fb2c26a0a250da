import { get_encoding } from "tiktoken";
import { describe, expect, it } from "vitest";
import { createScriptedEngine, type Script } from "../../kit/scripted/engine.js";
import { fileServer, startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { gate, until } from "../../kit/until.js";
import { fetchDeferred, waitForOutcome } from "../../kit/clients/deferred.js";
import {
  anthropicRoutes,
  chat,
  createLimitedTeam,
  openaiRoutes,
  readResponse,
  type LimitedTeam,
} from "../../kit/server/limited.js";

/** The tokens of `Hello there, world` as limits estimate them, and as the scripted engine counts its prompt and answer. */
const estimate = 4;

const shared = fileServer({ accounts: "managed" });

async function startWith(engine: Script, environment = {}): Promise<LimitedTeam> {
  return createLimitedTeam(await startServer({ accounts: "managed", engine, environment }));
}

describe("token limits", () => {
  it("estimate a prompt exactly with tiktoken and refuse requests beyond the remainder", async () => {
    const encoding = get_encoding("o200k_base");
    expect(encoding.encode("Hello there, world")).toHaveLength(estimate);
    encoding.free();
    const held = gate();
    const server = await startWith(() => [held.opened, "Good day."]);
    await server.limit({ tpm: 2 * estimate });
    const [one, two] = [server.post(...chat), server.post(...chat)];
    await until(() => server.app.scheduler.load.running === 2);
    const refused = await readResponse(server.post(...chat));
    expect(refused.status).toBe(429);
    expect(refused.text).toContain(
      "tokens per min (TPM): Limit 8, Used 8, Requested 4. Please try again in 1m0s.",
    );
    expect(refused.header("x-ratelimit-remaining-tokens")).toBe("0");
    held.open();
    expect((await readResponse(one)).header("x-ratelimit-limit-tokens")).toBe("8");
    expect((await readResponse(two)).status).toBe(200);
  });

  it.each([
    ...openaiRoutes.filter(([, body]) => !("deferred" in body) && !("background" in body)),
    ...anthropicRoutes,
  ])("count the true tokens of %s at its end: %j", async (path, body) => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ tpm: 1000 });
    await readResponse(server.post(path, body, apiKey));
    const { tokens } = await trueTokens(server);
    const next = await readResponse(server.post(...chat, apiKey));
    const truth =
      path.endsWith("tokenize-text") || path.endsWith("_tokens")
        ? await countTokens(server, path, body)
        : tokens;
    expect(next.header("x-ratelimit-remaining-tokens")).toBe(String(1000 - truth - estimate));
  });

  it("M3: count the produced tokens of an aborted run, none of a run that the server fails, and none of a run that never began", async () => {
    const server = await startWith((prompt) =>
      prompt.includes("fail") ? ["a b", new Error("out of luck")] : ["a b", new Promise(() => undefined)],
    );
    const { apiKey } = await server.newKey({ tpm: 1000 });
    const left = async () =>
      1000 -
      Number(
        (
          await readResponse(server.post("/v1/tokenize-text", { model: builtInModel, text: "x" }, apiKey))
        ).header("x-ratelimit-remaining-tokens"),
      ) -
      1;
    const failing = { ...chat[1], messages: [{ role: "user", content: "fail" }] };
    expect((await readResponse(server.post(chat[0], failing, apiKey))).status).toBe(500);
    expect((await trueTokens(server)).tokens).toBe(0);
    expect(await left()).toBe(0);
    const controller = new AbortController();
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...chat[1], stream: true }),
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
    await until(() => server.app.liveRuns.size === 0);
    const aborted = (await trueTokens(server)).tokens;
    // One token for the text that was sent before.
    expect(await left()).toBe(aborted + 1);
    const unknown = { ...chat[1], model: "unknown" };
    expect((await readResponse(server.post(chat[0], unknown, apiKey))).status).toBe(404);
    expect(await left()).toBe(aborted + 2);
  });

  it("report that a request alone exceeds the limit and must not be retried", async () => {
    // The test reads which models are loaded.
    const server = await createLimitedTeam(await startServer({ accounts: "managed" }));
    await server.limit({ tpm: estimate - 1 });
    for (const [path, body] of [chat, anthropicRoutes[0] ?? chat]) {
      const refused = await readResponse(server.post(path, body));
      expect([refused.status, refused.header("x-should-retry"), refused.header("retry-after")]).toEqual([
        429,
        "false",
        null,
      ]);
      expect(refused.header("retry-after-ms")).toBeNull();
      expect(refused.text).toContain("Request too large for ");
      expect(refused.text).toContain("Limit 3, Requested 4.");
    }
    expect(server.app.engine.residents()).toEqual([]);
  });

  it("estimate a quarter of the characters when tiktoken takes too long, without blocking other requests", async () => {
    const server = await createLimitedTeam(shared());
    await server.limit({ tpm: 1_000_000 });
    const hostile = { model: builtInModel, prompt: "a".repeat(200_000), max_tokens: 1 };
    const answering = readResponse(server.post("/v1/completions", hostile));
    await server.clock.whenWaiting(250);
    server.clock.advance(250);
    const { status, header } = await answering;
    expect([status, header("x-ratelimit-remaining-tokens")]).toEqual([200, "950000"]);
    const longer = { ...hostile, prompt: "a".repeat(300_000) };
    const { tokens } = await trueTokens(server);
    const next = await readResponse(server.post("/v1/completions", longer));
    expect(next.header("x-ratelimit-remaining-tokens")).toBe(String(1_000_000 - tokens - 75_000));
  });

  it("never abort an active run, however many tokens it takes", async () => {
    const server = await startWith(() => Array.from({ length: 100 }, () => " word"));
    await server.limit({ tpm: estimate });
    const { status, text } = await readResponse(server.post(...chat));
    expect([status, text.split("word").length - 1]).toEqual([200, 100]);
    const refused = await readResponse(server.post(...chat));
    expect([refused.status, refused.header("x-ratelimit-remaining-tokens")]).toEqual([429, "0"]);
  });
});

describe("deferred work under token limits", () => {
  const deferred = { ...chat[1], deferred: true };
  const defer = async (server: LimitedTeam, secret: string) =>
    (JSON.parse((await readResponse(server.post(chat[0], deferred, secret))).text) as { request_id: string })
      .request_id;

  it("counts when it is accepted, runs regardless of the limits, and is reconciled at its end", async () => {
    const held = gate();
    const server = await startWith((prompt) =>
      prompt.includes("Hello") ? [held.opened, "Good day."] : ["x"],
    );
    const { apiKey } = await server.newKey({ tpm: 1000 });
    await server.limit({ qpm: 1 });
    const id = await defer(server, apiKey);
    const refused = await readResponse(server.post(...chat, apiKey));
    expect([refused.status, refused.header("x-ratelimit-remaining-tokens")]).toEqual([
      429,
      String(1000 - estimate),
    ]);
    await server.limit({ qpm: 1, tpm: 1 });
    held.open();
    await until(() => server.app.liveRuns.size === 0);
    expect((await waitForOutcome(server, id, apiKey)).status).toBe(200);
    await server.limit({});
    const { tokens } = await trueTokens(server);
    const next = await readResponse(server.post(...chat, apiKey));
    expect(next.header("x-ratelimit-remaining-tokens")).toBe(String(1000 - tokens - estimate));
  });

  it("counts no tokens when the queue is full", async () => {
    const server = await startWith(() => [new Promise(() => undefined)], {
      HEARTH_JOBS_QUEUED_MAX: "1",
    });
    const { apiKey } = await server.newKey({ tpm: 1000 });
    await defer(server, apiKey);
    const refused = await readResponse(server.post(chat[0], deferred, apiKey));
    expect([refused.status, refused.header("x-ratelimit-remaining-tokens")]).toEqual([503, "992"]);
    const next = await readResponse(server.post(chat[0], deferred, apiKey));
    expect([next.status, next.header("x-ratelimit-remaining-tokens")]).toEqual([503, "992"]);
  });

  it("counts all its true tokens after a restart", async () => {
    const server = await startWith(() => [new Promise(() => undefined)]);
    const { apiKey } = await server.newKey({ tpm: 1000 });
    const id = await defer(server, apiKey);
    await until(() => server.app.scheduler.load.running === 1);
    await server.app.close();
    const engine = createScriptedEngine(() => ["Good", " day."]);
    const next = await startServer({ environment: { HEARTH_DATA: server.data }, engine });
    for (let status = 202; status === 202;) status = (await fetchDeferred(next, id, apiKey)).status;
    const [run] = await next.app.runs.list(1);
    const { promptTokens = 0, completionTokens = 0 } = run?.usage ?? {};
    const text = { model: builtInModel, text: "x" };
    const answer = await fetch(`${next.url}/v1/tokenize-text`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(text),
    });
    expect(promptTokens + completionTokens).toBeGreaterThan(2);
    expect(answer.headers.get("x-ratelimit-remaining-tokens")).toBe(
      String(1000 - promptTokens - completionTokens - 1),
    );
  });
});

/** Returns the usage of the team's newest run. */
async function trueTokens({ app, teamId }: LimitedTeam): Promise<{ readonly tokens: number }> {
  const run = (await app.runs.list(1_000)).find((each) => each.teamId === teamId);
  const { promptTokens = 0, completionTokens = 0, reasoningTokens = 0 } = run?.usage ?? {};
  return { tokens: promptTokens + completionTokens + reasoningTokens };
}

/** Returns the number of tokens in an answer that only counts tokens. */
async function countTokens(server: LimitedTeam, path: string, body: object): Promise<number> {
  const received = (await (await server.post(path, body)).json()) as {
    readonly input_tokens?: number;
    readonly token_ids?: readonly unknown[];
  };
  return received.input_tokens ?? received.token_ids?.length ?? 0;
}

import { describe, expect, it } from "vitest";
import { Quotas } from "../../../src/accounts/limits/quotas.js";
import { createScriptedEmbeddingEngine } from "../../kit/scripted/embedding-engine.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { eventually } from "../../kit/until.js";
import { chat, readResponse, createLimitedTeam } from "../../kit/server/limited.js";

const builtInEmbedder = "hearth-embed-1m";
const body = chat[1];
const asked = { model: builtInModel, messages: body.messages, max_tokens: 3 };

/** A request of each route that names an end user, in the field of its interface. */
const routes: readonly (readonly [path: string, named: (user: string) => object])[] = [
  ["/v1/chat/completions", (user) => ({ ...body, user })],
  ["/v1/chat/completions", (user) => ({ ...body, safety_identifier: user })],
  ["/v1/chat/completions", (user) => ({ ...body, user, deferred: true })],
  ["/v1/completions", (user) => ({ model: builtInModel, prompt: "Hello", user })],
  ["/v1/responses", (user) => ({ model: builtInModel, input: "Hello", user })],
  ["/v1/responses", (user) => ({ model: builtInModel, input: "Hello", user, background: true })],
  ["/v1/messages", (user) => ({ ...asked, metadata: { user_id: user } })],
  ["/v1/embeddings", (user) => ({ model: builtInEmbedder, input: "Hello", user })],
];

async function statuses(answers: readonly Promise<Response>[]): Promise<readonly number[]> {
  return (await Promise.all(answers.map(readResponse))).map(({ status }) => status);
}

const shared = fileServer({
  accounts: "managed",
  embeddingEngine: createScriptedEmbeddingEngine(),
});

describe("limits on each end user", () => {
  it.each(routes)("of a key hold for %s, and refuse with the time to wait", async (path, named) => {
    const server = await createLimitedTeam(shared());
    const { apiKey, redactedApiKey } = await server.newKey({ endUserQpm: 2 });
    const ask = (user: string) => server.post(path, named(user), apiKey);
    for (const answer of [ask("user-ada"), ask("user-ada"), ask("bob")])
      expect((await readResponse(answer)).status).toBeLessThan(300);
    server.clock.advance(20_000);
    const refused = await readResponse(ask("user-ada"));
    expect(refused.status).toBe(429);
    expect(refused.text).toContain(
      `Rate limit reached for this end user of API key ${String(redactedApiKey)} on requests per min (RPM): Limit 2, Used 2, ` +
        "Requested 1. Please try again in 40s.",
    );
    expect(refused.header("retry-after")).toBe("40");
    expect(refused.text).not.toContain("user-ada");
    expect((await readResponse(ask("bob"))).status).toBeLessThan(300);
    server.clock.advance(40_000);
    expect((await readResponse(ask("user-ada"))).status).toBeLessThan(300);
  });

  it("are exact for 100 requests at once, and leave those without an end user alone", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ endUserQpm: 7 });
    const users = Array.from({ length: 100 }, (_, at) =>
      at % 3 === 2 ? null : at % 3 === 1 ? "ada" : "x".repeat(512),
    );
    const answers = users.map((user) =>
      server.post(chat[0], user === null ? body : { ...body, user }, apiKey),
    );
    const found = await statuses(answers);
    const admitted = (of: string | null) =>
      found.filter((status, at) => users[at] === of && status === 200).length;
    expect([admitted("ada"), admitted("x".repeat(512)), admitted(null)]).toEqual([7, 7, 33]);
    expect(new Set(found)).toEqual(new Set([200, 429]));
  });

  it("count the true tokens of each end user, and report what is left of the tightest limit", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ endUserTpm: 30, endUserQpm: 50 });
    const first = await readResponse(server.post(chat[0], { ...body, user: "ada" }, apiKey));
    expect(first.header("x-ratelimit-limit-tokens")).toBe("30");
    const { usage } = JSON.parse(first.text) as { usage: { total_tokens: number } };
    const second = await readResponse(server.post(chat[0], { ...body, user: "ada" }, apiKey));
    expect(second.header("x-ratelimit-remaining-tokens")).toBe(String(30 - usage.total_tokens - 4));
    expect(second.header("x-ratelimit-remaining-requests")).toBe("48");
    const long = "word ".repeat(40);
    const other = await readResponse(
      server.post(chat[0], { ...body, messages: [{ role: "user", content: long }], user: "bob" }, apiKey),
    );
    expect(other.status).toBe(429);
    expect(other.text).toContain("Request too large for this end user of API key");
  });

  it("of a team hold for all its keys and models together, beside those on models", async () => {
    const server = await createLimitedTeam(shared());
    await server.limit({ qpm: 2 }, "each-end-user");
    await server.limit({ qpm: 100 });
    const [one, other] = [await server.newKey(), await server.newKey()];
    const ada = { ...body, user: "ada" };
    const embedding = { model: builtInEmbedder, input: "Hello", user: "ada" };
    expect(
      await statuses([
        server.post(chat[0], ada, one.apiKey),
        server.post("/v1/embeddings", embedding, other.apiKey),
      ]),
    ).toEqual([200, 200]);
    const refused = await readResponse(server.post(chat[0], ada, other.apiKey));
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringContaining("for this end user of team"),
    ]);
    expect(await statuses([server.post(chat[0], body, one.apiKey)])).toEqual([200]);
    const { body: listed } = await server.request("GET", `/auth/teams/${server.teamId}/limits`);
    expect(listed).toMatchObject({
      limits: [
        { model: "*", qpm: 100 },
        { model: "each-end-user", qpm: 2 },
      ],
    });
  });

  it("postpone a line of a batch", async () => {
    const server = await createLimitedTeam(shared());
    const { apiKey } = await server.newKey({ endUserQpm: 2 });
    const line = (id: string, user: string) =>
      JSON.stringify({ custom_id: id, method: "POST", url: "/v1/chat/completions", body: { ...body, user } });
    const lines = [line("1", "ada"), line("2", "ada"), line("3", "ada"), line("4", "bob")].join("\n");
    const form = new FormData();
    form.set("purpose", "batch");
    form.set("file", new File([lines], "batch.jsonl"));
    const headers = { authorization: `Bearer ${apiKey}` };
    const file = (await (
      await fetch(`${server.url}/v1/files`, { method: "POST", headers, body: form })
    ).json()) as { id: string };
    const created = { input_file_id: file.id, endpoint: "/v1/chat/completions", completion_window: "24h" };
    const { text } = await readResponse(server.post("/v1/batches", created, apiKey));
    const { id } = JSON.parse(text) as { id: string };
    const completed = async () => {
      const answer = await fetch(`${server.url}/v1/batches/${id}`, { headers });
      return ((await answer.json()) as { request_counts: { completed: number } }).request_counts.completed;
    };
    await eventually(async () => expect(await completed()).toBe(3));
    server.clock.advance(60_000);
    await eventually(async () => expect(await completed()).toBe(4));
  });

  it("count only so many end users by themselves, so that other limits keep their room", () => {
    const quotas = new Quotas({ endUsersMax: 2, endUserWindowsMax: 3 });
    const take = (of: string, user: string, now: number) =>
      quotas.take(
        [
          {
            quota: { name: "qpm", limit: 1, scope: `${of} ${user}`, subject: "", endUsersScope: of },
            amount: 1,
          },
        ],
        now,
      ) === null;
    expect(["ada", "bob", "cleo", "dan"].map((user) => take("key 1", user, 0))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    // Another key has no room either: its end users share a window.
    expect(["ada", "bob"].map((user) => take("key 2", user, 0))).toEqual([true, false]);
    const ordinary = { quota: { name: "qpm", limit: 1, scope: "key 3", subject: "" }, amount: 1 } as const;
    expect(quotas.take([ordinary], 0)).toBeNull();
    expect(quotas.size.windows).toBe(5);
    expect(["eve", "finn", "gus"].map((user) => take("key 1", user, 60_001))).toEqual([true, true, true]);
    expect(quotas.size.windows).toBe(3);
  });
});

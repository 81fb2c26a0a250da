/** What nobody waits for says what it was charged, too, and is charged nothing above its bound, whatever its engine says. */
import { describe, expect, it, vi } from "vitest";
import { clientOf, createBatch, whenEnded } from "../../kit/clients/batches.js";
import { authorization } from "../../kit/ledger.js";
import { testKey } from "../../kit/server/settings.js";
import { expectBounded, routes, send, startHosted, type HostedServer } from "./hosted.js";

/** What servers claim; the last one is true. */
const claims = [
  { prompt_tokens: 5_000_000, completion_tokens: 2, total_tokens: 5_000_002 },
  { prompt_tokens: 9, completion_tokens: 5_000_000, total_tokens: 5_000_009 },
  {
    prompt_tokens: Number.MAX_SAFE_INTEGER,
    completion_tokens: Number.MAX_SAFE_INTEGER,
    total_tokens: Number.MAX_SAFE_INTEGER,
  },
  { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
];

/** What an answer says of its cost; null: nothing. */
interface Said {
  readonly body: number | null;
  readonly header: number | null;
}

function saidBy(text: string, header: string | null): Said {
  const [body] = [...text.matchAll(/"cost_in_usd_ticks":(\d+)/g)].map(([, ticks]) => Number(ticks)).slice(-1);
  return { body: body ?? null, header: header === null ? null : Number(header) };
}

/** Fetches an answer until it is there. */
function fetched(server: HostedServer, path: string, isDone: (status: number, text: string) => boolean) {
  return vi.waitFor(
    async () => {
      const answer = await fetch(server.url + path, { headers: authorization });
      const text = await answer.text();
      if (!isDone(answer.status, text)) throw new Error(text);
      return saidBy(text, answer.headers.get("x-hearth-cost-ticks"));
    },
    { timeout: 30_000, interval: 20 },
  );
}

async function batchOf(server: HostedServer, path: "/v1/chat/completions" | "/v1/responses"): Promise<Said> {
  const client = clientOf({ url: server.url, apiKey: testKey });
  const line = { custom_id: "1", method: "POST", url: path, body: routes[path] };
  const ended = await whenEnded(client, await createBatch(client, [line], path));
  const output = await client.files.content(ended.output_file_id ?? "");
  return saidBy(await output.text(), null);
}

/** Ways to ask that no client waits for. */
const kinds: Readonly<Record<string, (server: HostedServer) => Promise<Said>>> = {
  async "a deferred completion"(server) {
    const answer = await send(server, "/v1/chat/completions", { deferred: true });
    const { request_id: id } = (await answer.json()) as { readonly request_id: string };
    return fetched(server, `/v1/chat/deferred-completion/${id}`, (status) => status === 200);
  },
  async "a background response"(server) {
    const answer = await send(server, "/v1/responses", { background: true });
    const { id } = (await answer.json()) as { readonly id: string };
    return fetched(server, `/v1/responses/${id}`, (_, text) => text.includes('"status":"completed"'));
  },
  "a batch of chat completions": (server) => batchOf(server, "/v1/chat/completions"),
  "a batch of responses": (server) => batchOf(server, "/v1/responses"),
};

describe.each(["unmetered", "prepaid"] as const)("of a team that is %s", (billing) => {
  it.each(Object.entries(kinds))("M1, M2: %s says what the ledger has, within its bound", async (_, ask) => {
    const server = await startHosted(billing);
    if (billing === "prepaid") await server.buy(1e12);
    const problems: unknown[] = [];
    for (const usage of claims) {
      server.double.restart(() => ({ deltas: [{ content: "Hi there" }], usage }));
      const { revenue: before } = await server.balances();
      const said = await ask(server);
      const charged = Number((await server.balances()).revenue - before);
      const [run] = await server.runs.list(1);
      const agree =
        charged > 0 &&
        run?.costTicks === charged &&
        said.body === charged &&
        (said.header === null || said.header === charged);
      if (!agree) problems.push({ usage, charged, said, cost: run?.costTicks });
    }
    expect(problems).toEqual([]);
    await expectBounded(server);
  });
});

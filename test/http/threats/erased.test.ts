import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import { hello, post } from "../../kit/server/requests.js";
import { until } from "../../kit/until.js";
import { authorization, startLedgerServer, type LedgerServer } from "../../kit/ledger.js";
import { createManualClock } from "../../kit/manual-clock.js";

const model = "hearth-tiny-5m";
const dayMs = 86_400_000;

/** Returns the texts that any file of a folder contains. */
function foundIn(folder: string, texts: readonly string[]): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file));
  return texts.filter((text) => files.some((bytes) => bytes.includes(text)));
}

async function send(server: LedgerServer, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method,
    headers: authorization,
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

/** Returns texts that nothing else contains. */
function markers(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `marker-${name}-${String(at).padStart(4, "0")}-end`);
}

it("F19: a deleted, expired or fetched answer and its prompt are in no file of the data folder five seconds later, and what must not be stored never is", async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 21));
  // An answer repeats its prompt.
  const server = await startLedgerServer(
    "unmetered",
    (prompt) => [/marker-[\w-]+-end/.exec(prompt)?.[0] ?? "?"],
    {
      clock,
    },
  );
  const found = (texts: readonly string[]): readonly string[] => foundIn(server.data, texts);
  const respond = async (text: string, more: object = {}): Promise<string> => {
    // Short texts stay in a page with others, long ones fill pages of their own.
    const input = `${text} ${"y".repeat(text.endsWith("3-end") ? 9000 : 200)}`;
    const request = { model, input, max_output_tokens: 64, ...more };
    return ((await send(server, "POST", "/v1/responses", request)) as { readonly id: string }).id;
  };
  const defer = async (text: string): Promise<string> => {
    const messages = [{ role: "user", content: text }];
    const request = { model, messages, max_tokens: 64, deferred: true };
    const { request_id: id } = (await send(server, "POST", "/v1/chat/completions", request)) as {
      readonly request_id: string;
    };
    return id;
  };

  const secret = markers("secret", 3);
  await respond(secret[0] ?? "", { store: false });
  await respond(secret[1] ?? "", { store: false, stream: false });
  const messages = [{ role: "user", content: secret[2] }];
  await send(server, "POST", "/v1/chat/completions", { model, messages, max_tokens: 64, store: false });
  expect(found(secret)).toEqual([]);

  const [kept, deleted, fetched] = [markers("kept", 10), markers("deleted", 10), markers("fetched", 3)];
  for (const [at, text] of kept.entries()) {
    await respond(text);
    const id = await respond(deleted[at] ?? "");
    if (at % 2 === 1) await send(server, "DELETE", `/v1/responses/${id}`);
  }
  const gone = deleted.filter((_, at) => at % 2 === 1);
  for (const text of fetched) {
    const path = `${server.url}/v1/chat/deferred-completion/${await defer(text)}`;
    for (let status = 202; status !== 200;) ({ status } = await fetch(path, { headers: authorization }));
  }
  expect(found([...kept, ...gone])).toEqual(expect.arrayContaining([...kept]));
  clock.advance(5000);
  await until(() => found([...gone, ...fetched]).length === 0);
  expect(found(kept)).toEqual(kept);

  const unfetched = markers("unfetched", 2);
  for (const text of unfetched) await defer(text);
  await until(() => server.app.liveRuns.size === 0);
  clock.jump(31 * dayMs);
  const all = [...kept, ...deleted, ...fetched, ...unfetched];
  await until(() => {
    clock.advance(5000);
    return found(all).length === 0;
  });
});

it("F19: a deleted conversation and a deleted item are in no file of the data folder five seconds later", async () => {
  const clock = createManualClock(Date.UTC(2026, 10, 21));
  const server = await startLedgerServer("unmetered", () => ["Yes."], { clock });
  const [kept = "", item = "", whole = ""] = markers("said", 3);
  const create = async (...texts: readonly string[]): Promise<{ readonly id: string }> => {
    const items = texts.map((text) => ({ role: "user", content: text }));
    return (await send(server, "POST", "/v1/conversations", { items })) as { readonly id: string };
  };
  const [first, second] = [await create(kept, item), await create(whole)];
  const path = `/v1/conversations/${first.id}/items`;
  const list = (await send(server, "GET", path)) as { readonly first_id: string };
  await send(server, "DELETE", `${path}/${list.first_id}`);
  await send(server, "DELETE", `/v1/conversations/${second.id}`);
  await until(() => {
    clock.advance(5000);
    return foundIn(server.data, [item, whole]).length === 0;
  });
  expect(foundIn(server.data, [kept])).toEqual([kept]);
});

it("F19: a request with store: false marks its tokens as never to be written, in each dialect that has the field", async () => {
  const server = await startServer({ engine: () => ["Good day."] });
  expect((await post(server, { ...hello, store: false })).status).toBe(200);
  expect((await post(server, hello)).status).toBe(200);
  const respond = (store: boolean) =>
    fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer ada-has-a-key-of-her-own", "content-type": "application/json" },
      body: JSON.stringify({ model: "ember-1m", input: "Hello", store }),
    });
  for (const store of [false, true]) expect((await respond(store)).status).toBe(200);
  expect(server.engine.jobs.map(({ ephemeral }) => ephemeral ?? false)).toEqual([true, false, true, false]);
});

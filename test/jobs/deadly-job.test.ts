import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../kit/folder.js";
import { headersOf } from "../kit/server/requests.js";
import { builtInModel, testKey } from "../kit/server/settings.js";
import { startKilled } from "../end-to-end/process/start-killed.js";

type Ask = (method: "GET" | "POST", path: string, body?: object) => Promise<Response>;

interface Kind {
  readonly name: string;
  /** Queues a job with this prompt. @returns its id. */
  readonly queue: (ask: Ask, prompt: string) => Promise<string>;
  /** Returns the text of what its owner reads of it; null while it has not ended. */
  readonly read: (ask: Ask, id: string) => Promise<string | null>;
}

const asJson = async <T>(response: Promise<Response>): Promise<T> => (await (await response).json()) as T;

const kinds: readonly Kind[] = [
  {
    name: "a deferred completion",
    async queue(ask, content) {
      const body = { model: builtInModel, messages: [{ role: "user", content }], deferred: true };
      return (await asJson<{ request_id: string }>(ask("POST", "/v1/chat/completions", body))).request_id;
    },
    async read(ask, id) {
      const response = await ask("GET", `/v1/chat/deferred-completion/${id}`);
      return response.status === 202 ? null : response.text();
    },
  },
  {
    name: "a background response",
    async queue(ask, input) {
      const body = { model: builtInModel, input, background: true };
      return (await asJson<{ id: string }>(ask("POST", "/v1/responses", body))).id;
    },
    async read(ask, id) {
      const text = await (await ask("GET", `/v1/responses/${id}`)).text();
      const { status } = JSON.parse(text) as { status: string };
      return status === "queued" || status === "in_progress" ? null : text;
    },
  },
  {
    name: "a line of a batch",
    async queue(ask, content) {
      const params = { model: builtInModel, max_tokens: 8, messages: [{ role: "user", content }] };
      const body = { requests: [{ custom_id: "one", params }] };
      return (await asJson<{ id: string }>(ask("POST", "/v1/messages/batches", body))).id;
    },
    async read(ask, id) {
      const batch = ask("GET", `/v1/messages/batches/${id}`);
      const { processing_status: status } = await asJson<{ processing_status: string }>(batch);
      return status === "ended" ? (await ask("GET", `/v1/messages/batches/${id}/results`)).text() : null;
    },
  },
];

/** The server, as its clients see it while it is alive. */
async function start(data: string) {
  const server = await startKilled(data, 0, "after", "ignore");
  const { url } = server;
  if (url === null) throw new Error("the server did not start");
  const ask: Ask = (method, path, body) =>
    fetch(`${url}${path}`, {
      method,
      headers: headersOf(testKey),
      body: JSON.stringify(body),
    });
  return { ...server, ask };
}

describe.each(kinds)("F22: $name whose run ends the process by an uncaught error", ({ queue, read }) => {
  it("is given up after three starts, with an error for its owner, and another one is answered", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await start(data);
    const deadly = await queue(first.ask, "deadly");
    await first.died;
    for (let starts = 2; starts <= 3; starts++) await (await start(data)).died;

    const last = await start(data);
    const readToEnd = async (id: string): Promise<string> => {
      for (;;) {
        const text = await read(last.ask, id);
        if (text !== null) return text;
      }
    };
    expect(await readToEnd(deadly)).toContain("The server stopped 3 times while it processed this request");
    expect(await readToEnd(await queue(last.ask, "question-1"))).toContain("You said question-1.");
    expect(last.isDead()).toBe(false);
    last.end();
    await last.died;
  }, 120_000);
});

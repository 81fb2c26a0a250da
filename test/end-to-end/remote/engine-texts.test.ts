/** What an engine says of its failures is for the operator: no tenant reads it, on no route. */
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { remoteEngines } from "../../../src/app/engines/remote.js";
import { engineReports } from "../../../src/doctor/engine-report.js";
import { loadConfig } from "../../../src/config/config.js";
import { beginStream, rawKinds, type RawFrames, type RawKind } from "../../kit/doubles/engines/raw.js";
import type { LogLine } from "../../kit/server/scripted.js";
import { testKey } from "../../kit/server/settings.js";
import { createBatch, whenEnded } from "../../kit/clients/batches.js";
import { fetchDeferred } from "../../kit/clients/deferred.js";
import { placeOnRaw, post, type PlacedOnRaw } from "./placed-raw.js";

const logs: LogLine[] = [];
const log = (level: string) => (fields: object, message: string) =>
  void logs.push({ level, fields, message });
const placed = placeOnRaw({ logger: { info: log("info"), warn: log("warn"), error: log("error") } });
const key = "sk-key-of-the-engine";
const words = "replica gpu-7.internal.example at 10.1.2.3:8123 has read the prompt of tenant bluebird";
const said = `${words} with ${key}; see https://status.internal.example/x?token=t0p`;
const secret = /gpu-7|internal\.example|10\.1\.2\.3|:8123|bluebird|t0p|sk-key/;
const messages = [{ role: "user", content: "Hello" }];

type Answering = (response: ServerResponse, frames: RawFrames) => void;

const refuses =
  (status: number, body: string = JSON.stringify({ error: { message: said } })): Answering =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);

const faults: Readonly<Record<string, Answering>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 529].map((status) => [status, refuses(status)]),
  ),
  "400 in plain text": refuses(400, said),
  "500 in HTML": refuses(500, `<html><body>${said}</body></html>`),
  "an error in place of the answer": (response, frames) => {
    beginStream(response);
    response.end(frames.error(said));
  },
  "an error in the middle of the answer": (response, frames) => {
    beginStream(response);
    response.end(frames.token() + frames.error(said));
  },
  "a stream that is none": (response) => {
    response.writeHead(200, { "content-type": `text/html; charset="${said}"` }).end(said);
  },
  "events that are not JSON": (response) => {
    beginStream(response);
    response.end(`data: ${said}\n\n`);
  },
  "events of another form": (response) => {
    beginStream(response);
    response.end(`data: ${JSON.stringify({ choices: said, output_ids: said, tokens: said })}\n\n`);
  },
  "a connection that is lost": (response) => void response.destroy(),
};

const bodies = {
  "/v1/chat/completions": { messages, max_tokens: 5 },
  "/v1/responses": { input: "Hello", max_output_tokens: 5 },
  "/v1/messages": { messages, max_tokens: 5 },
  "/api/chat": { messages, options: { num_predict: 5 } },
} as const;

/** Returns the server on an engine that answers so, and an empty log. */
function place(kind: RawKind, answering: Answering): PlacedOnRaw {
  const app = placed.on(kind);
  app.engine.answer = answering;
  logs.length = 0;
  return app;
}

/** Returns what the log has of causes. */
function loggedCauses(): string {
  return logs
    .map(({ fields, message }) => {
      const { err } = fields as { readonly err?: unknown };
      return `${message} ${err instanceof Error ? err.message : ""}`;
    })
    .join("\n");
}

describe.each(rawKinds)("E29: what an engine of the kind %s says of a failure", (kind) => {
  it.each(Object.entries(faults))("reaches no tenant: %s", async (name, answering) => {
    const app = place(kind, answering);
    const { host } = new URL(app.engine.url);
    for (const [path, body] of Object.entries(bodies))
      for (const stream of [false, true]) {
        const answer = await post(app, path, { model: app.model, stream, ...body });
        const text = [await answer.text(), ...answer.headers.entries()].flat().join("\n");
        expect(text, path).not.toMatch(secret);
        expect(text, path).not.toContain(host);
        if (!stream) expect(answer.status, path).toBeGreaterThanOrEqual(400);
      }
    const causes = loggedCauses();
    expect(causes).not.toContain(key);
    // The operator reads the words of an error, except that a key is wrong.
    if (/^(?:4|5|an error)/.test(name) && !/^40[13]/.test(name)) expect(causes).toContain(words);
  });
});

describe("E29: what is stored of a failed answer", () => {
  it.each([
    ["400", refuses(400)],
    ["an error in the middle of the answer", faults["an error in the middle of the answer"] ?? refuses(400)],
  ])("has no words of the engine: %s", async (_, answering) => {
    const app = place("openai", answering);
    const body = { model: app.model, messages, max_tokens: 5 };
    const deferred = (await (
      await post(app, "/v1/chat/completions", { ...body, deferred: true })
    ).json()) as {
      readonly request_id: string;
    };
    let outcome = await fetchDeferred(app, deferred.request_id, testKey);
    while (outcome.status === 202) outcome = await fetchDeferred(app, deferred.request_id, testKey);
    const texts = [await outcome.text()];
    const background = { model: app.model, input: "Hello", background: true, store: true };
    const { id } = (await (await post(app, "/v1/responses", background)).json()) as { readonly id: string };
    let response = await app.client.responses.retrieve(id);
    while (response.status === "queued" || response.status === "in_progress")
      response = await app.client.responses.retrieve(id);
    texts.push(JSON.stringify(response));
    const line = { custom_id: "one", method: "POST", url: "/v1/chat/completions", body };
    const ended = await whenEnded(app.client, await createBatch(app.client, [line]));
    for (const file of [ended.error_file_id, ended.output_file_id])
      if (file != null) texts.push(await (await app.client.files.content(file)).text());
    texts.push(JSON.stringify(ended));
    expect([response.status, ended.request_counts?.failed]).toEqual(["failed", 1]);
    for (const text of texts) expect(text).not.toMatch(secret);
  });
});

describe("E29: a request that a server of texts refuses", () => {
  it.each([
    [
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
      /too long for the server of this model: it takes 4096 tokens, and the request has 5000/,
    ],
    [
      "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
      /it takes 4096 tokens, and the request has 9000/,
    ],
    [
      "prompt is too long: 210000 tokens > 200000 maximum",
      /it takes 200000 tokens, and the request has 210000/,
    ],
    ["maximum context length exceeded at 10.1.2.3", /too long for the server of this model\./],
    [
      "Unsupported value: 'temperature' does not support 0 with this model at 10.1.2.3",
      /"?temperature: the server/,
    ],
    ["invalid image at https://gpu-7.internal.example/x.png", /refuses an image/],
    ["content_filter: bluebird", /rules for contents/],
    [said, /refuses the request \(400\)/],
  ])("says why in a sentence of this server: %s", async (message, expected) => {
    const app = place("openai", refuses(400, JSON.stringify({ error: { message } })));
    const answer = await post(app, "/v1/chat/completions", { model: app.model, messages });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([400, expect.stringMatching(expected)]);
    expect(text).not.toMatch(secret);
    expect(loggedCauses()).toContain(message.slice(0, 30));
  });
});

it.each(["vllm", "sglang", "llama-server"] as const)(
  "E29: the report of an engine, which the operator reads, has its words and not its key: %s",
  async (kind) => {
    const app = place(kind, refuses(400));
    app.engine.other = (path, response) => {
      if (path === "/health") return false;
      refuses(500)(response, {} as RawFrames);
      return true;
    };
    const models = [{ id: app.model, name: "tiny" }];
    const engines = JSON.stringify([{ kind, url: app.engine.url, apiKey: key, models }]);
    const { config } = loadConfig({ HEARTH_DATA: "/nowhere", HEARTH_ENGINES: engines });
    const [report] = await engineReports(remoteEngines(config));
    expect([report?.ok, report?.detail]).toEqual([false, expect.stringContaining(words)]);
    expect(report?.detail).not.toContain(key);
  },
);

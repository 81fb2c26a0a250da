import { describe, expect, it } from "vitest";
import { type ScriptedServer, startServer } from "../kit/server.js";
import { headersOf, hello } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";

type Fields = Readonly<Record<string, unknown>>;

interface RouteFields {
  readonly path: string;
  readonly body: Fields;
  /** Fields that must not change the answer. */
  readonly harmless: Fields;
  /** Unsupported fields that would change the answer, by the name in the error. */
  readonly refused: readonly (readonly [param: string, fields: Fields])[];
  /** The field as the errors of this route name it. */
  readonly named: (param: string) => object;
}

const anywhere = { no_such_field: [{ a: 1 }], "x-vendor": null, deterministic_: true };
const openaiName = (param: string) => ({ error: { param, type: "invalid_request_error" } });
const anthropicName = (param: string) => ({
  type: "error",
  error: {
    type: "invalid_request_error",
    message: expect.stringMatching(new RegExp(`^${param}: `)) as string,
  },
});
const sent = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const document = (fields: object) => sent({ type: "document", ...fields });

const routes: readonly RouteFields[] = [
  {
    path: "/v1/chat/completions",
    body: hello,
    harmless: {
      store: true,
      metadata: { a: "b" },
      service_tier: "flex",
      verbosity: "low",
      user: "u",
      prediction: { type: "content", content: "x" },
      prompt_cache_key: "k",
      safety_identifier: "s",
      moderation: {},
      prompt_cache_retention: "24h",
      bootstrap_host: "h",
      bootstrap_room: 7,
      parallel_function_calling: true,
      search_parameters: { mode: "auto", sources: [{ type: "x" }] },
      web_search_options: { search_context_size: "low" },
      messages: [{ role: "user", content: "Hello", weight: 1, cache_control: { type: "ephemeral" } }],
    },
    refused: [
      ["search_parameters", { search_parameters: { mode: "on" } }],
      ["tools", { tools: [{ type: "live_search" }] }],
      ["tools.0.type", { tools: [{ type: "telepathy" }] }],
      ["modalities", { modalities: ["text", "audio"] }],
      ["messages.0.content.0", sent({ type: "file", file: {} })],
      [
        "messages.0.content.0.input_audio",
        sent({ type: "input_audio", input_audio: { data: "", format: "wav" } }),
      ],
    ],
    named: openaiName,
  },
  {
    path: "/v1/completions",
    body: { model: "ember-1m", prompt: "Hello" },
    harmless: {
      user: "u",
      store: true,
      metadata: {},
      service_tier: "auto",
      suffix: "",
      messages: "not read",
    },
    refused: [
      ["echo", { echo: true, logprobs: 1 }],
      ["best_of", { best_of: 2, stream: true }],
    ],
    named: openaiName,
  },
  {
    path: "/v1/messages",
    body: { ...hello, max_tokens: 64 },
    harmless: {
      metadata: { user_id: "u" },
      service_tier: "auto",
      container: "c",
      inference_geo: "eu",
      cache_control: { type: "ephemeral" },
      context_management: null,
      mcp_servers: [],
      betas: ["x-2025-01-01"],
      seed: 7,
      user: "u",
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }],
        },
      ],
    },
    refused: [
      ["mcp_servers.0.url", { mcp_servers: [{ type: "url", name: "m", url: "https://m.example" }] }],
      [
        "tools.0.type",
        { tools: [{ type: "web_search_20250305", name: "web_search" }], tool_choice: { type: "any" } },
      ],
      ["messages.0.content.0.source", document({ source: { type: "base64", data: "" } })],
      ["messages.0.content.0.type", sent({ type: "container_upload", file_id: "f" })],
    ],
    named: anthropicName,
  },
  {
    path: "/v1/complete",
    body: { model: "ember-1m", prompt: "\n\nHuman: Hello\n\nAssistant:", max_tokens_to_sample: 64 },
    harmless: { metadata: { user_id: "u" }, max_tokens: 1, service_tier: "auto", betas: [] },
    refused: [],
    named: anthropicName,
  },
  {
    path: "/v1/tokenize-text",
    body: { model: "ember-1m", text: "Hello you" },
    harmless: { user: "u", add_special_tokens: true },
    refused: [],
    named: openaiName,
  },
];

function send({ url }: ScriptedServer, path: string, body: object): Promise<Response> {
  return fetch(url + path, { method: "POST", headers: headersOf(keys.ada), body: JSON.stringify(body) });
}

/** Returns an answer without values that differ each time. */
async function withoutIdsAndTimes(response: Response): Promise<string> {
  return (await response.text()).replaceAll(/0193a1c2-?5d7e-?7c40-?9b1f-?\d{12}/g, "ID");
}

const say = () => ["Good", " day."];

describe.each(routes)("POST $path", ({ path, body, harmless, refused, named }) => {
  it("ignores unknown fields, whatever their values", async () => {
    const server = await startServer({ engine: say });
    const plain = await send(server, path, body);
    expect(plain.status).toBe(200);
    const expected = await withoutIdsAndTimes(plain);
    for (const fields of [anywhere, harmless, { ...anywhere, ...harmless }])
      expect(await withoutIdsAndTimes(await send(server, path, { ...body, ...fields }))).toBe(expected);
  });

  it.each(refused)(
    "refuses what it would have to leave out, naming %s, streamed or not",
    async (param, fields) => {
      const server = await startServer({ engine: say });
      for (const stream of [false, true]) {
        const response = await send(server, path, { ...body, stream, ...fields });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject(named(param));
        expect(await server.records()).toEqual([]);
      }
    },
  );
});

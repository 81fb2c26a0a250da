/** What VS Code's Copilot sends to a model of its provider "Ollama", which has no key: its requests, in its order. */
import { describe, expect, it } from "vitest";
import { calling } from "../../kit/scripted/calling.js";
import type { Script } from "../../kit/scripted/engine.js";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { startServer, type ManagedServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { eventually } from "../../kit/until.js";

const reading = { city: "Bern" };
const sky = "clear-sky-4711";

/** Waits where it is asked to, calls a tool for the weather once, and repeats the result. */
const script: Script = (prompt, { tools }) => {
  if (prompt.includes("Wait.")) return ["Well, ", new Promise(() => undefined)];
  const result = /^tool: (.*)$/m.exec(prompt)?.[1];
  if (result !== undefined) return ["It is ", result];
  return tools.length > 0 ? calling("get_weather", reading) : ["Good", " day."];
};

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly completion_tokens: number };
}

async function start() {
  const engine = createScriptedEngine(script, { contextTokens: 8_192 });
  const server = await startServer({
    accounts: "managed",
    engine,
    environment: { HEARTH_OLLAMA_KEY: testKey },
  });
  return { server, engine };
}

const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Tells the weather.",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  },
];

/** Sends a chat as the extension does: an empty key, its own headers, and fields that only its hosted service reads. */
function chat({ url }: ManagedServer, messages: readonly object[], more: object = {}, signal?: AbortSignal) {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer ",
      "x-request-id": "7c0e3a6e-2f0e-4f3a-9d61-0c1d6a8f0b11",
      "x-interaction-type": "conversation-panel",
      "openai-intent": "conversation-panel",
      "x-github-api-version": "2025-05-01",
      "user-agent": "GitHubCopilotChat",
    },
    body: JSON.stringify({
      model: builtInModel,
      messages,
      temperature: 0.1,
      top_p: 1,
      n: 1,
      stream: true,
      stream_options: { include_usage: true },
      ...more,
    }),
    signal: signal ?? null,
  });
}

async function readChunks(response: Response): Promise<readonly Chunk[]> {
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as Chunk);
}

const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");

const system = { role: "system", content: "You are a programming assistant." };
const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

/** What Copilot, Codex for responses, and clients of messages ask for. */
const leastVersions = ["0.6.4", "0.13.4", "0.14.2"];

/** Compares the parts of a version as the extension does. */
function isAtLeast(version: string, least: string): boolean {
  const [parts, wanted] = [version, least].map((each) =>
    each.split(".").map((part) => parseInt(part, 10) || 0),
  );
  const differing = (wanted ?? []).findIndex((part, at) => parts?.[at] !== part);
  return differing < 0 || (parts?.[differing] ?? 0) > (wanted?.[differing] ?? 0);
}

describe("Copilot's provider Ollama, without a key,", () => {
  it("finds a version that it and other clients take, and of each model the name, what it can and its context", async () => {
    const { server } = await start();
    const get = async (path: string) =>
      (await fetch(server.url + path)).json() as Promise<Record<string, unknown>>;
    const { version } = await get("/api/version");
    for (const least of leastVersions)
      expect([least, isAtLeast(String(version), least)]).toEqual([least, true]);
    const { models } = (await get("/api/tags")) as { models: readonly { model: string }[] };
    expect(models.map(({ model }) => model)).toContain(builtInModel);
    for (const { model } of models) {
      const response = await fetch(`${server.url}/api/show`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model }),
      });
      const { capabilities, model_info: info } = (await response.json()) as {
        capabilities: readonly string[];
        model_info: Readonly<Record<string, unknown>>;
      };
      const architecture = info["general.architecture"];
      expect([model, typeof info["general.basename"], typeof architecture]).toEqual([
        model,
        "string",
        "string",
      ]);
      expect([model, info[`${String(architecture)}.context_length`]]).toEqual([model, expect.any(Number)]);
      if (model === builtInModel)
        expect(capabilities).toEqual(expect.arrayContaining(["completion", "tools"]));
    }
  });

  it("streams a chat with usage", async () => {
    const { server } = await start();
    const chunks = await readChunks(await chat(server, [system, user("Hello")]));
    expect(textOf(chunks)).toBe("Good day.");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 } });
  });

  it("gets a call of its tool, and an answer from the result", async () => {
    const { server, engine } = await start();
    const asked = [system, user("How is the weather?")];
    const called = await readChunks(await chat(server, asked, { tools }));
    const [call] = called.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect([call?.function.name, JSON.parse(call?.function.arguments ?? "null")]).toEqual([
      "get_weather",
      reading,
    ]);
    expect(called.at(-2)?.choices[0]?.finish_reason).toBe("tool_calls");
    const turn = [
      {
        role: "assistant",
        content: "",
        tool_calls: [{ ...call, type: "function" }],
        copilot_cache_control: { type: "ephemeral" },
      },
      { role: "tool", tool_call_id: call?.id, content: [{ type: "text", text: sky }] },
    ];
    const answered = await readChunks(await chat(server, [...asked, ...turn], { tools }));
    expect(textOf(answered)).toBe(`It is ${sky}`);
    expect(engine.jobs).toHaveLength(2);
  });

  it("ends an answer that its user stops", async () => {
    const { server, engine } = await start();
    const stopped = new AbortController();
    const response = await chat(server, [system, user("Wait.")], { tools }, stopped.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    expect(engine.active).toBe(1);
    stopped.abort();
    await eventually(() => expect([engine.active, engine.aborted]).toEqual([0, 1]));
  });
});

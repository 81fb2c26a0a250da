import { describe, expect, it } from "vitest";
import { headersOf, hello } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { drawing } from "./inference/chat/drawing.js";
import { waitForOutcome } from "../kit/clients/deferred.js";

type Server = Awaited<ReturnType<typeof drawing>>;

/** A grammar cannot require unique items, so that the answer is validated afterwards. */
const schema = `{"type":"array","items":{"type":"integer","minimum":9007199254740993},"uniqueItems":true}`;
/** The first number is too small, and the two of the second text are one double. */
const texts = ["[9007199254740992]", "[9007199254740995,9007199254740996]"];
const fields = JSON.stringify(hello).slice(1, -1);
const formatted = `${fields},"response_format":{"type":"json_schema","json_schema":{"name":"it","schema":${schema}}}`;
const responses = `"model":"ember-1m","input":"Hello","text":{"format":{"type":"json_schema","name":"it","schema":${schema}}}`;

/** Sends the JSON text of a request. */
function send(server: Server, path: string, body: string): Promise<Response> {
  return fetch(`${server.url}/v1/${path}`, { method: "POST", headers: headersOf(keys.ada), body });
}

describe("a schema with a number that no double keeps", () => {
  it.each([
    ["chat/completions", `{${formatted}}`],
    ["chat/completions", `{${formatted},"stream":true}`],
    ["responses", `{${responses}}`],
    [
      "messages",
      `{${fields},"max_tokens":64,"output_config":{"format":{"type":"json_schema","schema":${schema}}}}`,
    ],
  ])("decides which answer of the model is valid, on %s", async (path, body) => {
    const server = await drawing(texts);
    const response = await send(server, path, body);
    expect(response.status).toBe(200);
    const answered = await response.text();
    expect(server.engine.jobs).toHaveLength(2);
    expect(answered).toContain("0995");
    expect(answered).not.toContain("9007199254740992]");
  });

  it("is kept by a deferred completion and by a background response", async () => {
    const server = await drawing(texts);
    const deferred = await send(server, "chat/completions", `{${formatted},"deferred":true}`);
    const { request_id: id } = (await deferred.json()) as { request_id: string };
    expect(await (await waitForOutcome(server, id)).text()).toContain(texts[1]);
    expect(server.engine.jobs).toHaveLength(2);
    const running = server.nextRun();
    const queued = await send(server, "responses", `{${responses},"background":true}`);
    expect(queued.status).toBe(200);
    await (
      await running
    ).finished;
    expect(server.engine.jobs).toHaveLength(4);
  });

  it("is refused by keyword and position where the number is not supported, in every position of a schema", async () => {
    const server = await drawing(texts);
    const bad = '{"type":"object","properties":{"a":{"multipleOf":9007199254740993}}}';
    const problem = /'multipleOf' at '#\/properties\/a'/;
    for (const [path, body] of [
      ["chat/completions", `{${fields},"response_format":{"type":"json_schema","schema":${bad}}}`],
      [
        "chat/completions",
        `{${fields},"tools":[{"type":"function","function":{"name":"f","parameters":${bad}}}]}`,
      ],
      ["chat/completions", `{${fields},"functions":[{"name":"f","parameters":${bad}}]}`],
      [
        "responses",
        `{"model":"ember-1m","input":"Hello","tools":[{"type":"function","name":"f","parameters":${bad}}]}`,
      ],
      ["messages", `{${fields},"max_tokens":64,"tools":[{"name":"f","input_schema":${bad}}]}`],
      ["messages", `{${fields},"max_tokens":64,"output_format":{"type":"json_schema","schema":${bad}}}`],
    ] as const) {
      const response = await send(server, path, body);
      const answered = await response.text();
      expect([path, response.status, answered]).toEqual([path, 400, expect.stringMatching(problem)]);
    }
    const overflow = '{"items":{"maximum":1e400}}';
    const body = `{${fields},"response_format":{"type":"json_schema","schema":${overflow}}}`;
    expect(await (await send(server, "chat/completions", body)).text()).toMatch(/'maximum' at '#\/items'/);
  });

  it("does not change how the numbers of other fields are read", async () => {
    const server = await drawing(["[9007199254740993]"]);
    const body = `{${formatted},"temperature":0.70000000000000006661,"top_p":1E0}`;
    expect((await send(server, "chat/completions", body)).status).toBe(200);
    expect(server.engine.jobs[0]?.sampling).toMatchObject({ temperature: 0.7000000000000001, topP: 1 });
  });
});

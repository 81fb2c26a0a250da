import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/config.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

async function started(config: Partial<Config> = {}) {
  const server = await startServer({
    engine: (prompt) => {
      if (prompt.includes("Fail")) throw new Error("out of order");
      return ["Good", " day", "."];
    },
    config,
  });
  const ask = async (key: string, content = "Hello"): Promise<void> => {
    const body = { ...hello, messages: [{ role: "user", content }] };
    await (await post(server, body, { headers: headersOf(key) })).text();
  };
  return { server, ask };
}

/** Returns the count of each series of a histogram, by its labels. */
async function counts(server: ScriptedServer, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`, { headers: headersOf(keys.ada) })).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}_count{`));
  return Object.fromEntries(
    lines.map((line) => {
      const [, labels = "", count = ""] = /\{(.*)\} (\d+)$/.exec(line) ?? [];
      return [labels, Number(count)];
    }),
  );
}

const ofChat =
  'gen_ai_operation_name="chat",gen_ai_provider_name="hearth",gen_ai_request_model="ember-1m",gen_ai_response_model="ember-1m"';

describe("the metrics of the conventions for generative AI", () => {
  it("time requests, first tokens and further tokens, and count tokens, of each run", async () => {
    const { server, ask } = await started();
    await ask(keys.ada);
    await ask(keys.mallory);
    await ask(keys.ada, "Fail");
    expect(await counts(server, "gen_ai_server_request_duration_seconds")).toEqual({
      [`${ofChat},error_type=""`]: 2,
      [`${ofChat},error_type="internal"`]: 1,
    });
    expect(await counts(server, "gen_ai_server_time_to_first_token_seconds")).toEqual({ [ofChat]: 2 });
    const tokens = await counts(server, "gen_ai_client_token_usage");
    expect(tokens[`${ofChat},gen_ai_token_type="output"`]).toBe(2);
    expect(tokens[`${ofChat},gen_ai_token_type="input"`]).toBe(3);
  });

  it("have the operation of each kind of run", async () => {
    const { server } = await started();
    const send = async (path: string, body: object): Promise<void> => {
      const init = { method: "POST", headers: headersOf(keys.ada), body: JSON.stringify(body) };
      const response = await fetch(`${server.url}${path}`, init);
      expect(response.status, await response.text()).toBe(200);
    };
    await send("/v1/completions", { model: "ember-1m", prompt: "Hello" });
    await send("/v1/messages", { ...hello, max_tokens: 8 });
    const operations = Object.keys(await counts(server, "gen_ai_server_request_duration_seconds"));
    const names = operations.map((labels) => /operation_name="(\w+)"/.exec(labels)?.[1]);
    expect(names.sort()).toEqual(["chat", "text_completion"]);
  });

  it("have labels of teams and keys only where the operator asks for them, and of so many only", async () => {
    const none = await started();
    await none.ask(keys.ada);
    expect(Object.keys(await counts(none.server, "gen_ai_server_time_to_first_token_seconds"))).toEqual([
      ofChat,
    ]);
    const byTeam = await started({ metricsLabels: "team" });
    await byTeam.ask(keys.ada);
    await byTeam.ask(keys.mallory);
    expect(await counts(byTeam.server, "gen_ai_server_time_to_first_token_seconds")).toEqual({
      [`${ofChat},team_id="team-1"`]: 1,
      [`${ofChat},team_id="team-2"`]: 1,
    });
    const byKey = await started({ metricsLabels: "key", metricsLabelsMax: 1 });
    for (const key of [keys.ada, keys.chatter, keys.mallory, keys.ada]) await byKey.ask(key);
    expect(await counts(byKey.server, "gen_ai_server_time_to_first_token_seconds")).toEqual({
      [`${ofChat},team_id="team-1",api_key_id="key-of-ada"`]: 2,
      [`${ofChat},team_id="other",api_key_id="other"`]: 2,
    });
  });
});

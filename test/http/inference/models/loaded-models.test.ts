import { describe, expect, it } from "vitest";
import { startServer } from "../../../kit/server.js";
import { headersOf, hello, post } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";

describe("GET /v1/hearth/ps", () => {
  it("lists the loaded models to a key that may use them, and to no other", async () => {
    const server = await startServer({ engine: () => ["Good", " day."] });
    await (await post(server, hello)).text();
    const list = async (key: string): Promise<unknown> =>
      (await fetch(`${server.url}/v1/hearth/ps`, { headers: headersOf(key) })).json();
    expect(await list(keys.ada)).toEqual({
      object: "list",
      data: [
        {
          id: "ember-1m",
          object: "model_in_memory",
          bytes: 0,
          device: "cpu",
          slots: 2,
          slots_held: 0,
          context_tokens: 256,
          template_repairs: [],
          template_call: null,
          template_reasoning: [],
          loaded_at: "1970-01-01T00:00:00.000Z",
          until: null,
        },
      ],
    });
    expect(await list(keys.bob)).toEqual({ object: "list", data: [] });
  });
});

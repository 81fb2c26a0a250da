/** The forms in which servers of texts write their answers. */
import { describe, expect, it } from "vitest";
import { startChatDouble, type ChatDouble, type ChatReply } from "../../kit/doubles/engines/openai.js";
import { fileServer } from "../../kit/server.js";
import { bodyOf, engineOf, post, tools } from "./far-model.js";

describe("a model on a server of texts", () => {
  let double: ChatDouble | null = null;
  const shared = fileServer(async (finished) => {
    double = await startChatDouble(finished);
    return { environment: { HEARTH_ENGINES: engineOf(double.url) } };
  });
  const start = (answering: () => ChatReply) => {
    if (double === null) throw new Error("the double starts with the first test");
    double.restart(answering);
    return shared();
  };

  it("reads calls in all forms in which servers write them, whole and streamed", async () => {
    const named = (name: string, given: unknown, more: object) => ({
      type: "function",
      function: { name, arguments: given },
      ...more,
    });
    const both = [
      ["add", '{"a":1}'],
      ["add", '{"a":2}'],
    ];
    const forms: readonly (readonly [string, readonly object[]])[] = [
      [
        "two calls that share an index, with ids of their own",
        [
          { tool_calls: [named("add", '{"a":', { index: 0, id: "x" })] },
          { tool_calls: [{ index: 0, function: { arguments: "1}" } }] },
          { tool_calls: [named("add", '{"a":2}', { index: 0, id: "y" })] },
        ],
      ],
      [
        "interleaved indexes",
        [
          { tool_calls: [named("add", "", { index: 0, id: "x" }), named("add", "", { index: 1, id: "y" })] },
          { tool_calls: [{ index: 1, function: { arguments: '{"a":' } }] },
          { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
          { tool_calls: [{ index: 1, function: { arguments: "2}" } }] },
        ],
      ],
      [
        "arguments as an object, no index",
        [
          { tool_calls: [named("add", { a: 1 }, { id: "x" })] },
          { tool_calls: [named("add", { a: 2 }, { id: "y" })] },
        ],
      ],
      [
        "no ids and one index",
        [
          { tool_calls: [named("add", '{"a":1}', { index: 0 })] },
          { tool_calls: [named("add", '{"a":2}', { index: 0 })] },
        ],
      ],
      [
        "an id and a name in each piece",
        [
          { tool_calls: [named("add", '{"a":', { index: 0, id: "x" })] },
          { tool_calls: [named("add", "1}", { index: 0, id: "x" })] },
          { tool_calls: [named("add", '{"a":2}', { index: 1, id: "y" })] },
        ],
      ],
    ];
    for (const [form, deltas] of forms) {
      const app = start(() => ({ deltas, finish: "tool_calls" }));
      const { choices } = await bodyOf(post(app, { tools }));
      const calls = choices[0]?.message["tool_calls"] as readonly {
        function: { name: string; arguments: string };
      }[];
      expect([form, calls.map((each) => [each.function.name, each.function.arguments])]).toEqual([
        form,
        both,
      ]);
    }
  });

  it("reads chunks without choices, and an answer that is not streamed", async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    const choices = [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }];
    const app = start(() => ({ whole: { id: "1", object: "chat.completion", choices, usage } }));
    const answer = await bodyOf(post(app));
    expect(answer).toMatchObject({
      choices: [{ message: { content: "Hi." }, finish_reason: "stop" }],
      usage,
    });
  });

  it("says when it may be asked again, and that it refuses its operator's key, which no client should retry", async () => {
    const busy = start(() => ({ status: 429, headers: { "retry-after": "7" } }));
    const later = await post(busy);
    expect([later.status, later.headers.get("retry-after")]).toEqual([429, "7"]);
    for (const status of [401, 403]) {
      const refused = await post(start(() => ({ status })));
      expect([
        refused.status,
        refused.headers.get("retry-after"),
        refused.headers.get("x-should-retry"),
      ]).toEqual([503, null, "false"]);
      expect(await refused.text()).toContain(`refuses the apiKey of its settings (${status})`);
    }
  });
});

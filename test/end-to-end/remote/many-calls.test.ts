import { expect, it } from "vitest";
import { startChatDouble } from "../../kit/doubles/engines/openai.js";
import { startServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";

const model = "hosted";
const calls = 200;

it.each([false, true])(
  "F29: an engine outside may call 200 tools in one piece, with stream: %s",
  async (stream) => {
    const double = await startChatDouble();
    const tool_calls = Array.from({ length: calls }, (_, index) => ({
      index,
      id: `call-${index}`,
      function: { name: "add", arguments: '{"a": 1}' },
    }));
    double.restart(() => ({ deltas: [{ tool_calls }], finish: "tool_calls" }));
    const engines = [
      { kind: "openai", url: double.url, models: [{ id: model, name: "big", contextTokens: 32_768 }] },
    ];
    const { url } = await startServer({ environment: { HEARTH_ENGINES: JSON.stringify(engines) } });
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        stream,
        messages: [{ role: "user", content: "Hello" }],
        tools: [{ type: "function", function: { name: "add", parameters: { type: "object" } } }],
      }),
    });
    const text = await answer.text();
    expect([answer.status, text.split('"name":"add"').length - 1]).toEqual([200, calls]);
    expect(text).toContain('"finish_reason":"tool_calls"');
  },
);

import { describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/generation.js";
import { readTemplate } from "../../../../src/engine/language/prompt/read-template.js";
import { renderWithRepairs } from "../../../../src/engine/language/prompt/render.js";
import { renderHere } from "../../../kit/engine/render-here.js";

const turns =
  "{% for m in messages %}{{ m.role }}: {{ m.content }};{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}";

describe("a tool without a description", () => {
  it.each([
    [
      "an empty one, where the template refuses it",
      "{{ t.function.name + ': ' + t.function.description }};",
      "f: ;",
    ],
    [
      "none, where the template accepts that",
      "{{ t | tojson }};",
      '{"type": "function", "function": {"name": "f", "parameters": {}}};',
    ],
  ])("gets %s", async (_, definition, expected) => {
    const template = `{% for t in tools %}${definition}{% endfor %}${turns}{# <tool_call> tool_calls #}`;
    const reading = await readTemplate(template, renderHere(template), {
      bosText: "",
      eosText: "",
      endTexts: [],
    });
    const conversation = {
      messages: [{ role: "user", content: "Hi." }],
      tools: [{ name: "f", parameters: {} }],
      reasoningEffort: "default",
    } as const;
    const { rendering } = await renderWithRepairs(reading.template, conversation, []);
    expect(rendering).toMatchObject({ text: expect.stringContaining(expected) as unknown });
  });
});

describe("the effort of a request", () => {
  const promptOf = async (
    template: string,
    reasoningEffort: "none" | "low" | "medium" | "default",
  ): Promise<string> => {
    const reading = await readTemplate(template, renderHere(template), {
      bosText: "",
      eosText: "",
      endTexts: [],
    });
    const conversation = {
      messages: [{ role: "user", content: "Hi." }],
      tools: [],
      reasoningEffort,
    } as const;
    const { rendering } = await renderWithRepairs(reading.template, conversation, reading.repairs);
    return rendering.type === "text" ? rendering.text : JSON.stringify(rendering);
  };

  it.each([
    ["enable_thinking", "{{ 'off' if enable_thinking is false else 'on' }}"],
    ["thinking", "{{ 'off' if thinking is false else 'on' }}"],
    ["thinking_budget", "{{ 'off' if thinking_budget == 0 else 'on' }}"],
  ])("turns reasoning off by the variable that the template reads: %s", async (_, start) => {
    const template = start + turns;
    expect(await promptOf(template, "none")).toMatch(/^off/);
    expect(await promptOf(template, "low")).toMatch(/^on/);
    expect(await promptOf(template, "default")).toMatch(/^on/);
  });

  it("is passed as the nearest value that the template accepts", async () => {
    const any = `{{ reasoning_effort or 'unset' }};${turns}`;
    expect(await promptOf(any, "medium")).toMatch(/^medium;/);
    expect(await promptOf(any, "none")).toMatch(/^low;/);
    expect(await promptOf(any, "default")).toMatch(/^unset;/);
    const two =
      "{% if reasoning_effort and reasoning_effort not in ['none', 'high'] %}{{ raise_exception('no such effort') }}{% endif %}" +
      any;
    expect(await promptOf(two, "medium")).toMatch(/^high;/);
    expect(await promptOf(two, "none")).toMatch(/^none;/);
  });
});

describe("a template that needs something else than most", () => {
  const promptOf = async (template: string, messages: readonly Message[]): Promise<string> => {
    const reading = await readTemplate(template, renderHere(template), {
      bosText: "",
      eosText: "",
      endTexts: [],
    });
    const conversation = {
      messages,
      tools: [{ name: "f", parameters: {} }],
      reasoningEffort: "default",
    } as const;
    const { rendering } = await renderWithRepairs(reading.template, conversation, reading.repairs);
    return rendering.type === "text" ? rendering.text : JSON.stringify(rendering);
  };

  it("gets the definitions of tools as a text, where it reads them from a variable `functions`", async () => {
    const template =
      "{{ 'Tools: ' + functions + ' Today is ' + datetime + '. ' }}" +
      "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if m.tool_calls %} tools[{% for c in m.tool_calls %}{{ c.function | tojson }}{{ ', ' if not loop.last }}{% endfor %}]{% endif %};{% endfor %}" +
      "{% if add_generation_prompt %}assistant:{% endif %}";
    expect(await promptOf(template, [{ role: "user", content: "Hi." }])).toMatch(
      /^Tools: \[\{"name":"f","parameters":\{\}\}\] Today is an unknown date\. user: Hi\.;/,
    );
  });

  it("gets reasoning as a part of the content, where it reads no field for it", async () => {
    const template =
      "{% for m in messages %}{{ m.role }}: {% if m.content is string %}{{ m.content }}{% else %}" +
      "{% for p in m.content %}{{ '[THINK]' + p.thinking + '[/THINK]' if p.type == 'thinking' else p.text }}{% endfor %}{% endif %}" +
      "{% for c in m.tool_calls or [] %}<call>{{ c.function | tojson }}</call>{% endfor %};{% endfor %}" +
      "{% if add_generation_prompt %}assistant:{% endif %}{# tools #}";
    const calls = [{ id: "call_1", name: "f", arguments: "{}" }];
    const prompt = await promptOf(template, [
      { role: "user", content: "Hi." },
      { role: "assistant", content: "Well.", reasoning: "Hm." },
      { role: "assistant", content: "", reasoning: "A tool.", toolCalls: calls },
      { role: "tool", content: "1", toolCallId: "call_1" },
    ]);
    expect(prompt).toContain("assistant: [THINK]Hm.[/THINK]Well.;");
    expect(prompt).toContain('assistant: [THINK]A tool.[/THINK]<call>{"name": "f", "arguments": {}}</call>;');
  });
});

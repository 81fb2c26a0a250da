/** The conversations that each template renders. */

type Message = Readonly<Record<string, unknown>>;

const system: Message = { role: "system", content: "You are a helpful assistant." };
const user: Message = { role: "user", content: "  What is the weather in Paris & Zürich?\nBe brief. " };
const answer: Message = { role: "assistant", content: "It is 21 °C in <Paris>.\n" };
const thanks: Message = { role: "user", content: "Thanks! 日本語 \u{1f600}" };

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Returns the weather of a city.",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", description: 'The city, such as "Zürich"' },
        unit: { type: "string", enum: ["celsius", "fahrenheit"], default: "celsius" },
        days: { type: ["integer", "null"], minimum: 0.5 },
        options: {
          type: "object",
          properties: { tags: { type: "array", items: { type: "string" } }, exact: { type: "boolean" } },
          required: ["tags"],
        },
      },
      required: ["city"],
    },
  },
};
const clock = {
  type: "function",
  function: {
    name: "get_time",
    description: "Returns the time.",
    parameters: { type: "object", properties: {} },
  },
};
const tools = [weather, clock];

const call = (id: string, name: string, args: unknown): Message => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const paris = call("call00001", "get_weather", {
  city: "Paris",
  days: 3,
  options: { tags: ["a", "b"], exact: true },
});
const time = call("call00002", "get_time", {});
const result = (id: string, name: string, content: unknown): Message => ({
  role: "tool",
  tool_call_id: id,
  name,
  content,
});

/** What every conversation has, as `apply_chat_template` passes it. */
const common = { bos_token: "<s>", eos_token: "</s>", add_generation_prompt: true };
const parts = (...texts: readonly string[]): unknown => texts.map((text) => ({ type: "text", text }));

/** Variables of the template by the name of the conversation. */
export const conversations: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "system prompt": { ...common, messages: [system, user] },
  "several turns, no generation prompt": {
    ...common,
    add_generation_prompt: false,
    messages: [system, user, answer, thanks, answer],
  },
  "no system prompt": { ...common, messages: [user, answer, thanks] },
  tools: { ...common, tools, messages: [system, user] },
  "result of a tool, null content": {
    ...common,
    tools,
    messages: [
      user,
      { role: "assistant", content: null, tool_calls: [paris] },
      result("call00001", "get_weather", '{"temperature": 21.5}'),
    ],
  },
  "parallel calls": {
    ...common,
    tools,
    messages: [
      system,
      user,
      { role: "assistant", content: "Let me look.", tool_calls: [paris, time] },
      result("call00001", "get_weather", "21"),
      result("call00002", "get_time", "12:00"),
      answer,
      thanks,
    ],
  },
  "arguments as a text": {
    ...common,
    tools: [weather],
    messages: [
      user,
      {
        role: "assistant",
        content: "",
        tool_calls: [call("call00003", "get_weather", '{"city": "Zürich"}')],
      },
      result("call00003", "get_weather", "rain"),
      answer,
    ],
    add_generation_prompt: false,
  },
  "content parts": {
    ...common,
    messages: [
      { role: "system", content: parts("You are helpful.") },
      { role: "user", content: parts("One.", "Two.") },
    ],
  },
  "reasoning in the history": {
    ...common,
    enable_thinking: true,
    messages: [
      system,
      user,
      { ...answer, reasoning_content: "The user asks for\nthe weather." },
      thanks,
      { role: "assistant", content: "<think>\nShort.\n</think>\n\nYou are welcome." },
      user,
    ],
  },
  "reasoning off": {
    ...common,
    enable_thinking: false,
    thinking: false,
    reasoning_effort: "low",
    messages: [user, { ...answer, reasoning_content: "Hm." }, thanks],
  },
  "two user turns, a tool call with reasoning": {
    ...common,
    tools,
    messages: [
      system,
      user,
      thanks,
      { role: "assistant", content: "", reasoning_content: "I need the time.", tool_calls: [time] },
      result("call00002", "get_time", parts("12:00")),
    ],
  },
  "options of templates": {
    ...common,
    tools: [],
    documents: [{ title: "T", text: "D" }],
    date_string: "26 Jul 2024",
    builtin_tools: ["python"],
    custom_tools: null,
    add_vision_id: true,
    thinking_budget: 512,
    messages: [{ role: "developer", content: "Answer in English." }, user],
  },
};

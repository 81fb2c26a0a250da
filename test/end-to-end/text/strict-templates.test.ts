import { describe, expect, it } from "vitest";
import { authorization } from "../../kit/ledger.js";
import { temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { strictTemplate, type Strictness } from "../../engine/language/prompt/strict-template.js";
import { writeVerifiedModel } from "../../kit/models/verified-model.js";
import { requestJson } from "../../kit/clients/chat-answers.js";

/** Models of random weights by name: what their template refuses, and the repairs that it needs. */
const models: readonly (readonly [name: string, Strictness, repairs: readonly string[]])[] = [
  ["like-gemma-2", { system: true, alternating: true }, ["system-folded", "turns-merged"]],
  [
    "like-mistral-7b",
    { system: true, alternating: true, tools: true },
    ["system-folded", "turns-merged", "tools-in-words"],
  ],
  ["like-nemo", { laterSystem: true, alternating: true }, ["later-system-folded", "turns-merged"]],
  // What it writes for a call shows that the content need not be null.
  ["like-command-r7b", { nulls: true }, []],
  ["like-parts-only", { texts: true }, ["texts-as-parts"]],
];

const shared = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  for (const [name, strictness] of models)
    await writeVerifiedModel(folder, name, { chatTemplate: strictTemplate(strictness) });
  return { environment: { HEARTH_MODELS: folder } };
});

const user = { role: "user", content: "What time is it?" };
const tools = [{ type: "function", function: { name: "get_time", parameters: { type: "object" } } }];
const call = (id: string) => ({ id, type: "function", function: { name: "get_time", arguments: "{}" } });
const calling = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "noon" });
const part = (text: string) => ({ type: "text", text });

const conversations: readonly object[] = [
  { messages: [{ role: "system", content: "Be brief." }, user] },
  { messages: [{ role: "user", content: [part("What time"), part("is it?")] }] },
  { messages: [user, user] },
  { messages: [user], tools },
  { messages: [user, calling("a"), result("a")], tools },
  { messages: [user, calling("a", "b"), result("a"), result("b")], tools },
  { messages: [user], tools, tool_choice: { type: "function", function: { name: "get_time" } } },
  { messages: [user, calling("a"), result("a"), user], tools },
  { messages: [{ role: "assistant", content: "Welcome." }, user] },
  {
    messages: [user, { role: "assistant", content: "Noon." }, { role: "developer", content: "Shout." }, user],
  },
];

describe("a model with a strict chat template", () => {
  it.each(models)(
    "%s answers every ordinary conversation, and shows its repairs and its calls",
    async (model, _, repairs) => {
      const app = shared();
      const answers = await Promise.all(
        conversations.map((body) => requestJson(app, { model, max_tokens: 1, ...body })),
      );
      for (const { usage } of answers) expect(usage?.prompt_tokens).toBeGreaterThan(10);
      const shown = await fetch(`${app.url}/v1/hearth/ps`, { headers: authorization });
      expect(await shown.json()).toMatchObject({
        data: expect.arrayContaining([
          expect.objectContaining({
            id: model,
            template_repairs: repairs,
            template_call: expect.stringContaining("NAME") as unknown,
          }),
        ]) as unknown,
      });
    },
  );

  it("gets the prompt of the conversation that it accepts", async () => {
    const app = shared();
    const tokens = async (messages: readonly object[]): Promise<number | undefined> =>
      (await requestJson(app, { model: "like-gemma-2", max_tokens: 1, messages })).usage?.prompt_tokens;
    const system = { role: "system", content: "Be brief." };
    expect(await tokens([system, user])).toBe(
      await tokens([{ role: "user", content: "Be brief.\n\nWhat time is it?" }]),
    );
  });
});

import { describe, expect, it } from "vitest";
import { transcript, type Transcript } from "../kit/scripted/transcript.js";
import { familyNames, template, tools, transcripts } from "../kit/engine/tool-answers.js";
import { firstChoice, requestStream, requestJson } from "../kit/clients/chat-answers.js";
import { fileServer, type TestServer } from "../kit/server.js";
import { clientOf, hello } from "../kit/server/requests.js";
import { keys } from "../kit/server/six-keys.js";
import { casesOf } from "../kit/setup/random-cases.js";

const sent = { ...hello, tools: tools.map((tool) => ({ type: "function", function: tool })) };

let parts: readonly Transcript[] = [];
const shared = fileServer({ engine: () => parts, contextTokens: 1_000_000 });

/** Returns the server, which answers so from now on. */
function answering(family: string, answer: string, tokenBytes = 1): Pick<TestServer, "client"> {
  parts = [transcript(template(family), answer, tokenBytes)];
  return { client: clientOf(shared().url, keys.ada) };
}

describe("D9: an answer that is designed to be costly to parse", () => {
  it.each(familyNames)(
    "in the style of %s reaches the client whole, every character as text",
    async (family) => {
      const [mark = "<"] =
        /^(?:<\S{1,30}?>|\[[A-Z_]+\]|\S{1,12})/.exec(transcripts(family)[0]?.answer ?? "") ?? [];
      for (const unit of [mark.slice(0, -1), " \n{", '"\\', "<".repeat(50)]) {
        // With the first word the answer is not a tool call of families whose calls are whole answers.
        const answer = `Look: ${unit.repeat(Math.ceil(casesOf(100_000) / unit.length))} end.`;
        const server = answering(family, answer, 3);
        const { content, calls, finish } = firstChoice(await requestStream(server, sent));
        expect({ same: content === answer, calls, finish }).toEqual({
          same: true,
          calls: [],
          finish: "stop",
        });
      }
    },
  );

  it("as one tool call with endless arguments is cut and not returned as a call", async () => {
    for (const inside of ["[".repeat(50_000), `"${"\\\\".repeat(50_000)}`, `{"a":`.repeat(20_000)]) {
      const written = `<tool_call>\n{"name": "note", "arguments": {"title": ${inside}`;
      const server = answering("hermes", written, 5);
      const answer = await requestJson(server, { ...sent, max_tokens: 10_000 });
      expect(firstChoice(answer).finish).toBe("length");
      expect(answer.usage?.completion_tokens).toBe(10_000);
      for (const call of firstChoice(answer).calls) expect(() => void JSON.parse(call.arguments)).toThrow();
    }
  });
});

describe("D10: code in an answer", () => {
  const attacks = [
    "(()=>{globalThis.ran=1})()",
    "globalThis.ran=1",
    "__import__('os').system('true')",
    "`${globalThis.ran=1}`",
    "{get zone(){globalThis.ran=1}}",
    "constructor.constructor('globalThis.ran=1')()",
  ];

  it.each(familyNames)("of the family %s is data wherever it stands, and never run", async (family) => {
    const [sample] = transcripts(family);
    for (const attack of attacks) {
      const written = (sample?.answer ?? "").replaceAll("CET", attack);
      const choice = firstChoice(await requestJson(answering(family, written), sent));
      const given = choice.calls.find(({ name }) => name === "get_time")?.arguments;
      if (given === undefined) expect(choice.content).toContain(attack);
      else expect(JSON.parse(given)).toEqual({ zone: attack });
    }
    expect("ran" in globalThis).toBe(false);
  });

  it("in place of arguments is not a tool call", async () => {
    for (const attack of attacks) {
      const python = "```tool_code\nget_time(zone=" + attack + ")\n```";
      const json = `<tool_call>\n{"name": "get_time", "arguments": ${attack}}\n</tool_call>`;
      for (const [family, written] of [
        ["gemma", python],
        ["hermes", json],
      ] as const) {
        const { content, calls, finish } = firstChoice(await requestJson(answering(family, written), sent));
        expect({ content, calls, finish }).toEqual({ content: written, calls: [], finish: "stop" });
      }
    }
    expect("ran" in globalThis).toBe(false);
  });
});

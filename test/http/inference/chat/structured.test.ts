import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import OpenAI from "openai";
import { readToolFormat } from "../../../../src/engine/language/tools/format.js";
import { transcript, type Transcript } from "../../../kit/scripted/transcript.js";
import {
  familyNames,
  template as templateOf,
  tools as fixtureTools,
  transcripts,
} from "../../../kit/engine/tool-answers.js";
import {
  firstChoice,
  requestStream,
  requestJson,
  type FoldedAnswer,
  type FoldedChoice,
} from "../../../kit/clients/chat-answers.js";
import { type ScriptedServer, startServer } from "../../../kit/server.js";
import { hello } from "../../../kit/server/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { someOf } from "../../../kit/setup/random-cases.js";
import { isNightly } from "../../../kit/sizes.js";

const template = readFileSync(
  new URL("../../../../scripts/train/chat/template.jinja", import.meta.url),
  "utf8",
);
const wireTools = fixtureTools.map((tool) => ({ type: "function", function: tool }));
const schema = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};
const format = { type: "json_schema", json_schema: { name: "answer", schema } };

const ajv = new Ajv2020({ strict: false });
const isAnswer = ajv.compile(schema);
const areArguments = new Map(fixtureTools.map(({ name, parameters }) => [name, ajv.compile(parameters)]));

/** Starts a server that returns these texts, one after the other, byte for byte. */
function answering(written: string, family = template): Promise<ScriptedServer & { client: OpenAI }> {
  const script = () => [byteByByte(family, written)];
  return startServer({ engine: script, contextTokens: 4096, slots: 64, config: { queueDepthMax: 512 } }).then(
    (server) => ({
      ...server,
      client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 }),
    }),
  );
}

/** One token for each byte, except for the mark that opens a reasoning block, which is one token in most vocabularies. */
function byteByByte(family: string, written: string): Transcript {
  const [mark] = /^<think>/.exec(written) ?? [];
  if (mark === undefined) return transcript(family, written);
  const { tokens, ...rest } = transcript(family, written.slice(mark.length));
  return { ...rest, tokens: [Buffer.from(mark), ...tokens] };
}

/** Returns the content of an answer without ids, which differ each time. */
function said(answer: FoldedAnswer) {
  const { calls, ...rest } = firstChoice(answer);
  return {
    ...rest,
    calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    usage: answer.usage,
  };
}

/** Limits that cut a text of one-byte tokens inside characters, inside escapes and elsewhere. */
function bounds(written: string): readonly number[] {
  return Array.from({ length: Buffer.byteLength(written) }, (_, at) => at + 1);
}

const thought = '<think>\nA "thought", é 東.\n</think>\n\n';
const json = '{"text": "a\\"b\\\\ \\u00e9 é東🎉 <tool_call> }"}';
const prose = "Well: <tool_call is no call. é東🎉";
const call =
  '<tool_call>\n{"name": "note", "arguments": {"title": "a \\"b\\" \\u00e9 é東🎉 </tool_call>", "tags": [1]}}\n</tool_call>';

interface Row {
  readonly schema: boolean;
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly streaming: boolean;
}

const both = [false, true];
const rows = both.flatMap((schemaOn) =>
  both.flatMap((tools) =>
    both.flatMap((thinking) =>
      both.map((streaming) => {
        const row: Row = { schema: schemaOn, tools, thinking, streaming };
        const named = Object.entries(row).map(([name, on]) => (on ? name : `no ${name}`));
        return [named.join(", "), row] as const;
      }),
    ),
  ),
);

function written({ schema: schemaOn, tools, thinking }: Row): string {
  const answer = tools ? call : schemaOn ? json : prose;
  return `${thinking ? thought : ""}${answer}`;
}

function check(choice: FoldedChoice, complete: FoldedChoice, { schema: schemaOn, thinking }: Row): void {
  const { content, reasoning, calls, finish } = choice;
  expect(content + reasoning + JSON.stringify(calls)).not.toContain("\uFFFD");
  expect(reasoning).toBe(thinking ? 'A "thought", é 東.' : "");
  if (finish === "length") {
    for (const { name, arguments: given } of calls) {
      expect(name).toBe("note");
      expect(complete.calls[0]?.arguments.startsWith(given)).toBe(true);
    }
    return;
  }
  expect(finish).toBe(calls.length > 0 ? "tool_calls" : "stop");
  for (const { name, arguments: given } of calls)
    expect(areArguments.get(name)?.(JSON.parse(given))).toBe(true);
  if (schemaOn && calls.length === 0) expect(isAnswer(JSON.parse(content))).toBe(true);
}

describe("D7: a transcript with", () => {
  it.each(rows)("%s: is returned whole, or as cut, wherever it is cut", async (name, row) => {
    const text = written(row);
    const app = await answering(text);
    const sent = {
      ...hello,
      ...(row.schema ? { response_format: format } : {}),
      ...(row.tools ? { tools: wireTools } : {}),
    };
    const complete = firstChoice(await requestJson(app, sent));
    check(complete, complete, row);
    expect(complete.finish).toBe(row.tools ? "tool_calls" : "stop");
    const offset = rows.findIndex(([each]) => each === name);
    const ends = [
      ...someOf(bounds(text), offset).map((tokens) => ({ max_completion_tokens: tokens })),
      ...['"', "\n</tool_call>", "é", "\\", "}", "</tool_call>", "🎉", "東🎉"].map((stop) => ({ stop })),
      { stop: "b", max_completion_tokens: 30 },
    ];
    const finishes = await Promise.all(
      ends.map(async (end) => {
        const answer = await (row.streaming ? requestStream : requestJson)(app, { ...sent, ...end });
        check(firstChoice(answer), complete, row);
        if (row.streaming) expect(said(answer)).toEqual(said(await requestJson(app, { ...sent, ...end })));
        return firstChoice(answer).finish;
      }),
    );
    expect(new Set(finishes)).toContain("length");
  });
});

describe("D7: transcripts of the family", () => {
  it.each(familyNames)("%s are returned as written, streamed and not", async (family) => {
    for (const { answer, text, reasoning = "", calls } of transcripts(family)) {
      const app = await answering(answer, templateOf(family));
      const sent = { ...hello, tools: wireTools };
      const received = await requestJson(app, sent);
      expect(said(await requestStream(app, sent))).toEqual(said(received));
      const choice = firstChoice(received);
      expect({ text: choice.content, reasoning: choice.reasoning }).toEqual({ text, reasoning });
      const parsed = choice.calls.map((each) => ({
        name: each.name,
        arguments: JSON.parse(each.arguments) as unknown,
      }));
      expect(parsed).toEqual(calls);
      expect(choice.finish).toBe(calls.length > 0 ? "tool_calls" : "stop");
    }
  });

  it.each(familyNames)("%s are their text alone if the client wants no calls", async (family) => {
    for (const { answer, text, calls } of transcripts(family)) {
      if (calls.length === 0) continue;
      const app = await answering(answer, templateOf(family));
      const {
        content,
        calls: made,
        finish,
      } = firstChoice(await requestJson(app, { ...hello, tools: wireTools, tool_choice: "none" }));
      expect({ made, finish }).toEqual({ made: [], finish: "stop" });
      const marks = readToolFormat(templateOf(family)).openings.flatMap(({ pieces: [mark = ""] }) => mark);
      const shown = marks.filter((mark) => mark.length > 2 && content.includes(mark));
      expect(shown, answer).toEqual([]);
      if (!marks.some((mark) => text.includes(mark))) expect(content.trim()).toBe(text.trim());
    }
  });

  it.each(familyNames.map((family, index) => ({ family, index })))(
    "$family, cut anywhere, contain nothing that was not written",
    async ({ family, index }) => {
      for (const { answer } of transcripts(family).slice(0, isNightly(process.env) ? 4 : 2)) {
        const app = await answering(answer, templateOf(family));
        const sent = { ...hello, tools: wireTools };
        const complete = said(await requestJson(app, sent));
        const all = bounds(answer).filter((at) => at % 3 === 0 || insideCharacter(answer, at));
        const cuts = someOf(all, index);
        await Promise.all(
          cuts.map(async (tokens) => {
            const cut = said(await requestJson(app, { ...sent, max_completion_tokens: tokens }));
            expect(cut.finish).toBe("length");
            expect(cut.calls.length).toBeLessThanOrEqual(complete.calls.length);
            for (const [index, each] of cut.calls.entries()) {
              expect(each.name).toBe(complete.calls[index]?.name);
              expect(complete.calls[index]?.arguments.startsWith(each.arguments)).toBe(true);
            }
          }),
        );
      }
    },
  );
});

/** Whether a prefix of this many bytes ends inside an escape or a character. */
function insideCharacter(written: string, bytes: number): boolean {
  const rest = Buffer.from(written).subarray(bytes);
  return ((rest[0] ?? 0) & 0xc0) === 0x80 || Buffer.from(written)[bytes - 1] === 0x5c;
}

import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { pdfOf } from "../../../kit/models/pdf-writer.js";
import { startServer } from "../../../kit/server.js";
import { anthropicOf } from "../../anthropic.js";

const text = "Grass is green. 😀 The sky is blue! Snow is white?";
type Content = Anthropic.MessageParam["content"];
type Document = Anthropic.DocumentBlockParam;

const enabled = { enabled: true };
const document: Document = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: text },
  title: "Colors",
  context: "A test.",
  citations: enabled,
};

/** Asks for an answer of these pieces. @returns the prompt, and the answer whole and streamed */
async function ask(pieces: readonly string[], content: Content, system?: string) {
  let prompt = "";
  const script = (given: string): readonly string[] => {
    prompt = given;
    return pieces;
  };
  const server = await startServer({ engine: script, contextTokens: 10_000 });
  const client = anthropicOf(server);
  const request = {
    model: "ember-1m",
    max_tokens: 999,
    messages: [{ role: "user" as const, content }],
    system,
  };
  const { content: whole } = await client.messages.create(request);
  const { content: streamed } = await client.messages.stream(request).finalMessage();
  expect(streamed).toEqual(whole);
  return { prompt, blocks: whole.filter((block) => block.type === "text") };
}

const common = { document_index: 0, document_title: "Colors", file_id: null };
const sky = {
  type: "char_location",
  ...common,
  cited_text: "😀 The sky is blue!",
  start_char_index: 16,
  end_char_index: 34,
};

describe("a document with citations", () => {
  it("has numbered sentences in the prompt, and the system prompt says what the numbers are for", async () => {
    const { prompt } = await ask(["Yes."], [document, { type: "text", text: "Colors?" }], "Be brief.");
    expect(prompt).toContain(
      "Colors\nA test.\n[[0:0]] Grass is green.\n[[0:1]] 😀 The sky is blue!\n[[0:2]] Snow",
    );
    expect(prompt).toMatch(/Be brief\.\n\nParts of the documents have numbers such as \[\[0:3\]\]/);
  });

  it("is cited where the model writes a number, with the document's own text and place", async () => {
    const { blocks } = await ask(["The sky is bl", "ue [", "[0:", "1]", "]. It is day."], [document]);
    expect(blocks).toEqual([
      { type: "text", text: "The sky is blue.", citations: [sky] },
      { type: "text", text: " It is day." },
    ]);
    const { start_char_index: start, end_char_index: end, cited_text: cited } = sky;
    expect([...text].slice(start, end).join("")).toBe(cited);
  });

  it("is cited by ranges and several numbers", async () => {
    const { blocks } = await ask(["Colors [[0:0-1]] [[0:2, 0:1]]"], [document]);
    expect(blocks[0]?.citations).toMatchObject([
      { cited_text: "Grass is green. 😀 The sky is blue!", start_char_index: 0, end_char_index: 34 },
      { cited_text: "Snow is white?" },
      sky,
    ]);
  });

  it.each([
    ["that leads to no sentence", "So [[0:99]] it is."],
    ["of no document", "So [[7:0]] it is."],
    ["that goes backwards", "So [[0:2-1]] it is."],
  ])("is not cited by a number %s, which is left out of the text", async (_, answer) => {
    expect((await ask([answer], [document])).blocks).toEqual([{ type: "text", text: "So it is." }]);
  });

  it.each(["No numbers.", "See [[wiki]] and a[0][[1]] [[0:", "x [", "[[[0"])(
    "keeps other text: %s",
    async (answer) => {
      const { blocks } = await ask([...answer], [document]);
      expect(blocks).toEqual([{ type: "text", text: answer }]);
    },
  );

  it("is cited by page when it is a PDF, and by block when it has blocks", async () => {
    const data = pdfOf([["Grass is green."], ["The sky is blue."]]).toString("base64");
    const pdf: Document = {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data },
      citations: enabled,
    };
    const content = ["One.", "Two. Three."].map((each) => ({ type: "text" as const, text: each }));
    const custom: Document = { type: "document", source: { type: "content", content }, citations: enabled };
    const { prompt, blocks } = await ask(["Blue [[0:1]]. Two [[1:1]]"], [pdf, custom]);
    expect(prompt).toContain("[Page 2]\n[[0:1]] The sky is blue.");
    expect(prompt).toContain("[[1:1]] Two. Three.");
    expect(blocks.map(({ citations }) => citations?.[0])).toEqual([
      {
        type: "page_location",
        document_index: 0,
        document_title: null,
        file_id: null,
        cited_text: "The sky is blue.",
        start_page_number: 2,
        end_page_number: 3,
      },
      {
        type: "content_block_location",
        document_index: 1,
        document_title: null,
        file_id: null,
        cited_text: "Two. Three.",
        start_block_index: 1,
        end_block_index: 2,
      },
    ]);
  });
});

it("a citation has at most 100 parts and 20,000 characters of a document, so that no answer has it many times over", async () => {
  const sentences = Array.from({ length: 200 }, (_, index) => `Sentence ${index}.`).join(" ");
  const cited = async (mark: string, data: string): Promise<number> => {
    const source = { type: "text", media_type: "text/plain", data } as const;
    const { blocks } = await ask([`Said ${mark}`], [{ ...document, source }]);
    return blocks[0]?.citations?.length ?? 0;
  };
  expect(await cited("[[0:0-99]]", sentences)).toBe(1);
  expect(await cited("[[0:0-100]]", sentences)).toBe(0);
  expect(await cited("[[0:0]]", `${"word ".repeat(3_900)}.`)).toBe(1);
  expect(await cited("[[0:0]]", `${"word ".repeat(4_100)}.`)).toBe(0);
});

it("a document without citations has no numbers, and brackets of the answer stay", async () => {
  const { citations: _, ...plain } = document;
  const { prompt, blocks } = await ask(["So [[0:1]]."], [plain]);
  expect(prompt).not.toContain("[[");
  expect(blocks).toEqual([{ type: "text", text: "So [[0:1]]." }]);
});

it("documents with citations of more than a million characters are refused by the name of the field", async () => {
  const config = { bodyBytesMax: 4_000_000 };
  const client = anthropicOf(await startServer({ engine: () => ["Yes."], config }));
  const source = { type: "text" as const, media_type: "text/plain" as const, data: "One. ".repeat(100_001) };
  const half = { ...document, source };
  const request = {
    model: "ember-1m",
    max_tokens: 9,
    messages: [{ role: "user" as const, content: [half, half] }],
  };
  await expect(client.messages.create(request)).rejects.toThrow("messages.0.content.1.citations");
});

it("citations with a format of the answer are refused by the name of the field", async () => {
  const client = anthropicOf(await startServer({ engine: () => ["{}"] }));
  const format = { type: "json_schema" as const, schema: { type: "object" } };
  const messages = [{ role: "user" as const, content: [document] }];
  const request = { model: "ember-1m", max_tokens: 9, messages, output_config: { format } };
  await expect(client.messages.create(request)).rejects.toThrow("output_config.format: cannot be combined");
});

import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  firstExtraObject,
  pdfOf,
  pdfOfContents,
  pdfOfObjects,
  streamOf,
} from "../../../kit/models/pdf-writer.js";
import { type ScriptedServer, startServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { anthropicOf } from "../../anthropic.js";
import { upload } from "../../../kit/clients/uploads.js";

const model = "ember-1m";
const base64 = (bytes: Buffer) => bytes.toString("base64");
const dataUrl = (bytes: Buffer) => `data:application/pdf;base64,${base64(bytes)}`;
const letter = pdfOf([["Dear Ada,", "the code is 4711."], ["Yours (truly)"]], { isCompressed: true });
const letterText = "[Page 1]\nDear Ada,\nthe code is 4711.\n\n[Page 2]\nYours (truly)";

/** A server that answers with the whole prompt. */
const startEcho = () =>
  startServer({ engine: (prompt) => [prompt], config: { bodyBytesMax: 64 * 1024 * 1024 } });

function openaiOf({ url }: ScriptedServer): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: keys.ada, maxRetries: 0 });
}

/** Sends the file to chat completions; returns the answer, which is the prompt. */
async function read(server: ScriptedServer, bytes: Buffer): Promise<string> {
  const file = { filename: "a.pdf", file_data: dataUrl(bytes) };
  const { choices } = await openaiOf(server).chat.completions.create({
    model,
    messages: [{ role: "user", content: [{ type: "file", file }] }],
  });
  return choices[0]?.message.content ?? "";
}

async function refusal(server: ScriptedServer, bytes: Buffer): Promise<{ status: number; message: string }> {
  const thrown: unknown = await read(server, bytes).catch((error: unknown) => error);
  if (!(thrown instanceof OpenAI.APIError)) throw new Error("the file was read");
  expect(thrown.param).toBe("messages.0.content.0.file.file_data");
  return { status: Number(thrown.status), message: thrown.message };
}

/** A file of one page over these objects, which have the numbers from 4. */
const pageOver = (...objects: (string | Buffer)[]) =>
  pdfOfObjects([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
    ...objects,
  ]);

describe("the pages of a PDF stand in the prompt with their numbers", () => {
  it("in chat completions", async () => {
    expect(await read(await startEcho(), letter)).toContain(`a.pdf\n${letterText}`);
  });

  it("in responses, in the request or uploaded, and in a response that continues it", async () => {
    const server = await startEcho();
    const client = openaiOf(server);
    const { body } = await upload(server.url, keys.ada, letter);
    for (const part of [{ file_data: base64(letter), filename: "notes.txt" }, { file_id: body.id }]) {
      const content = [{ type: "input_file" as const, ...part }];
      const first = await client.responses.create({ model, input: [{ role: "user", content }] });
      expect(first.output_text).toContain(`notes.txt\n${letterText}`);
      const next = await client.responses.create({ model, input: "And?", previous_response_id: first.id });
      expect(next.output_text).toContain(letterText);
    }
  });

  it("in messages, in the request or uploaded, also in tool results", async () => {
    const server = await startEcho();
    const client = anthropicOf(server);
    const { body } = await upload(server.url, keys.ada, letter);
    const inline = { type: "base64", media_type: "application/pdf", data: base64(letter) } as const;
    const ask = async (content: object[]) => {
      const messages = [{ role: "user", content }] as never;
      const { content: answer } = await client.messages.create({ model, max_tokens: 999, messages });
      return answer.map((block) => (block.type === "text" ? block.text : "")).join("");
    };
    const document = { type: "document", source: inline, title: "A letter", context: "Read it." };
    expect(await ask([document])).toContain(`A letter\nRead it.\n${letterText}`);
    const uploaded = { type: "document", source: { type: "file", file_id: body.id } };
    expect(await ask([uploaded])).toContain(`notes.txt\n${letterText}`);
  });
});

describe("the text of a PDF", () => {
  it.each<[string, Buffer, string]>([
    [
      "is in reading order, whatever the order in the file",
      pdfOf([
        [
          { text: "last", y: 100 },
          { text: "first", y: 700 },
          { text: "middle", y: 400 },
        ],
      ]),
      "first\nmiddle\nlast",
    ],
    [
      "has one column after the other",
      pdfOf([
        [
          { text: "L1", y: 700 },
          { text: "L2", y: 680 },
          { text: "R1", x: 300, y: 700 },
          { text: "R2", x: 300, y: 680 },
        ],
      ]),
      "L1\nL2\nR1\nR2",
    ],
    ["has the characters of its encoding", pdfOf([["Gr\u00fc\u00dfe, 50 \u00b0C"]]), "Grüße, 50 °C"],
    [
      "has the characters that a font names for its codes",
      pdfOf([["AB"]], {
        font: `<</Type/Font/Subtype/Type1/BaseFont/Odd/Encoding/WinAnsiEncoding/ToUnicode ${firstExtraObject(1)} 0 R>>`,
        extra: [
          streamOf(
            Buffer.from(
              "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <41> <044F> <42> <D83DDE00> endbfchar endcmap",
            ),
          ),
        ],
        encode: () => "<4142>",
      }),
      "я😀",
    ],
    [
      "says which pages have none",
      pdfOf([["One"], []]),
      "[Page 1]\nOne\n\n[Page 2]\n(This page has no text.)",
    ],
    [
      "is read where the table of objects is damaged",
      Buffer.from(letter.toString("latin1").replace("xref\n0", "lost\n0"), "latin1"),
      letterText,
    ],
  ])("%s", async (_, bytes, text) => {
    expect(await read(await startEcho(), bytes)).toContain(text);
  });

  it("is the same in every request, so that a conversation's prompt keeps its beginning", async () => {
    const server = await startEcho();
    const answers = [
      await read(server, letter),
      await read(server, letter),
      await read(await startEcho(), letter),
    ];
    expect(new Set(answers).size).toBe(1);
  });
});

describe("400 names the field and the reason for a PDF that", () => {
  const spaces = deflateSync(Buffer.alloc(200 * 1024 * 1024, " "), { level: 9 });
  it.each<[string, Buffer, RegExp]>([
    ["is no PDF", Buffer.from("%PDF-1.7 but nothing follows"), /damaged, or not a PDF/],
    ["is cut off", letter.subarray(0, 300), /damaged, or not a PDF/],
    [
      "is encrypted with a password",
      pdfOf([["Hello"]], {
        trailer: `/Encrypt ${firstExtraObject(1)} 0 R/ID[<${"00".repeat(16)}><${"00".repeat(16)}>]`,
        extra: [`<</Filter/Standard/V 1/R 2/O<${"11".repeat(32)}>/U<${"22".repeat(32)}>/P -4>>`],
      }),
      /is encrypted/,
    ],
    ["has only images", pdfOf([[], []]), /has no text: its pages are images.*Send them as images/],
    ["has 1,001 pages", pdfOf(Array<string[]>(1001).fill(["x"])), /has 1001 pages, more than the 1000/],
    [
      "has 4 million characters",
      pdfOfContents(
        [Buffer.from(`BT /F1 1 Tf 9 9 Td ${`(${"a ".repeat(250)}) Tj 0 0.05 Td `.repeat(8_010)}ET`)],
        { isCompressed: true },
      ),
      /more text than the 4000000 characters/,
    ],
    [
      "is a tree of pages without an end",
      pdfOfObjects(["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>"]),
      /damaged/,
    ],
    [
      "inflates without an end",
      pageOver(streamOf(spaces, "/Filter/FlateDecode"), "null"),
      /needs too much memory/,
    ],
    [
      "draws itself without an end",
      pageOver(
        streamOf(Buffer.from("/X Do")),
        streamOf(
          Buffer.from("/X Do /X Do"),
          "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>",
        ),
      ),
      /has no text/,
    ],
  ])("%s, and the server goes on", async (_, bytes, message) => {
    const server = await startEcho();
    const refused = await refusal(server, bytes);
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.message).toMatch(message);
    expect(await read(server, letter)).toContain(letterText);
    expect(server.logs.filter(({ message }) => message.includes("worker"))).toEqual([]);
  });

  it("takes longer than 20 s, and the next file has a new thread", async () => {
    const server = await startEcho();
    const slow = pageOver(streamOf(spaces, "/Filter/FlateDecode"), "null");
    const refused = refusal(server, slow);
    await server.clock.whenWaiting(20_000);
    server.clock.advance(20_000);
    expect((await refused).message).toMatch(/takes longer than 20 s/);
    expect(await read(server, letter)).toContain(letterText);
  });
});

it("a PDF of 32 MiB and a byte is refused by the name of the field", async () => {
  const server = await startEcho();
  const large = Buffer.concat([letter, Buffer.alloc(32 * 1024 * 1024 + 1 - letter.length, " ")]);
  expect((await refusal(server, large)).message).toMatch(/more than 33554432 bytes/);
});

it("a PDF that is cut off in a page is read as far as it goes, by a thread that goes on", async () => {
  const server = await startEcho();
  // The library rejects a promise for it that nothing waits for.
  const cut = readFileSync(new URL("../../../fuzz/corpus/pdf/ends-in-an-operator", import.meta.url));
  expect(await read(server, cut)).toContain("[Page 1]\n");
  expect(server.logs.filter(({ message }) => message.includes("worker"))).toEqual([]);
});

it("a file that says that it is a PDF and is none is refused by the name of the field", async () => {
  const server = await startEcho();
  expect((await refusal(server, Buffer.from("Just text"))).message).toMatch(/not a PDF/);
  const source = {
    type: "base64" as const,
    media_type: "application/pdf" as const,
    data: base64(Buffer.from("text")),
  };
  const messages = [{ role: "user" as const, content: [{ type: "document" as const, source }] }];
  await expect(anthropicOf(server).messages.create({ model, max_tokens: 9, messages })).rejects.toThrow(
    "messages.0.content.0.source.data",
  );
});

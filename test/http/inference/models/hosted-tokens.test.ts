/** POST /v1/tokenize-text with names of hosted models, whose tokens tiktoken counts. */
import fc from "fast-check";
import { createRequire } from "node:module";
import { get_encoding, type TiktokenEncoding } from "tiktoken";
import { describe, expect, it } from "vitest";
import { testTokenizer } from "../../../kit/worker-threads.js";
import { type ScriptedServer, startServer, fileServer } from "../../../kit/server.js";
import { headersOf, hello, post } from "../../../kit/server/requests.js";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { keys } from "../../../kit/server/six-keys.js";
import { createManualClock } from "../../../kit/manual-clock.js";

const shared = fileServer({ engine: () => [] });

const tableOfNames = createRequire(import.meta.url)("tiktoken/model_to_encoding.json") as Readonly<
  Record<string, TiktokenEncoding>
>;

/** One model of each encoding. */
const models = [
  "gpt-4o",
  "gpt-4",
  "text-davinci-003",
  "code-davinci-edit-001",
  "text-davinci-001",
  "gpt2",
] as const;

interface Told {
  readonly status: number;
  readonly ids: readonly number[];
  readonly bytes: Buffer;
  readonly body: string;
}

async function tokenize(server: ScriptedServer, body: object, key: string = keys.ada): Promise<Told> {
  const response = await fetch(`${server.url}/v1/tokenize-text`, {
    method: "POST",
    headers: headersOf(key),
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { token_ids: tokens = [] } = JSON.parse(text) as {
    token_ids?: { token_id: number; token_bytes: number[] }[];
  };
  return {
    status: response.status,
    ids: tokens.map((token) => token.token_id),
    bytes: Buffer.concat(tokens.map((token) => Uint8Array.from(token.token_bytes))),
    body: text,
  };
}

/** Texts on which tokenizers differ, including broken characters. */
function texts(): fc.Arbitrary<string> {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const awkward = fc.constantFrom(
    "<|endoftext|>",
    "<|im_start|>",
    "<|fim_prefix|>",
    "<|",
    "'LL",
    "\r\n",
    "👩‍👩‍👧",
    "é",
    "ﷺ",
  );
  const piece = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), unit, awkward, fc.string(), runs());
  return fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
}

function runs(): fc.Arbitrary<string> {
  const letter = fc.constantFrom("a", " ", "\n", "\t", "=", "7", "中", "😀");
  return fc.tuple(letter, fc.integer({ min: 1, max: 60 })).map(([each, times]) => each.repeat(times));
}

describe("POST /v1/tokenize-text of a hosted model", () => {
  it("returns exactly the tokens of tiktoken, whose bytes join to the text", async () => {
    const server = shared();
    const encodings = new Map(models.map((model) => [model, get_encoding(tableOfNames[model] ?? "gpt2")]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...models), texts(), async (model, text) => {
        const received = await tokenize(server, { model, text });
        expect(received.status).toBe(200);
        expect(received.ids).toEqual([...(encodings.get(model)?.encode(text, [], []) ?? [])]);
        expect(received.bytes.equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: casesOf(300) },
    );
    for (const encoding of encodings.values()) encoding.free();
  });

  it("returns id, text and bytes of each token, and the name of the model", async () => {
    const { body } = await tokenize(shared(), {
      model: "gpt-4o",
      text: "Hi <|endoftext|>\u{1f98a}",
    });
    const { token_ids: tokens, model } = JSON.parse(body) as {
      token_ids: { token_id: number; string_token: string; token_bytes: number[] }[];
      model: string;
    };
    expect(model).toBe("gpt-4o");
    expect(tokens[0]).toEqual({ token_id: 12194, string_token: "Hi", token_bytes: [72, 105] });
    expect(tokens.map((token) => token.string_token).join("")).toMatch(/^Hi <\|endoftext\|>\ufffd+$/);
    expect(tokens.length).toBeGreaterThan(6);
  });

  it("accepts the model names of tiktoken and no other", () => {
    const tokenizer = testTokenizer();
    const names = Object.keys(tableOfNames);
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !tokenizer.knows(name))).toEqual([]);
    const strange = ["constructor", "__proto__", "GPT-4o", "gpt-4o ", "o200k_base", "gpt-4o/x", ""];
    expect(strange.filter((name) => tokenizer.knows(name))).toEqual([]);
  });

  it("loads no model and records nothing", async () => {
    // The test reads everything that the engine was asked for or the server did.
    const server = await startServer({ engine: () => [] });
    await tokenize(server, { model: "gpt-4", text: "Hello" });
    expect([server.engine.loaded, await server.records()]).toEqual([[], []]);
  });
});

describe("the names of hosted models", () => {
  it("yield to local models: a local id or alias uses the local tokenizer", async () => {
    const hostedTokenizer = { ...testTokenizer(), knows: () => true };
    const server = await startServer({ engine: () => [], hostedTokenizer });
    for (const model of ["ember", "ember-1m"])
      expect((await tokenize(server, { model, text: "Hello" })).body).toContain('"model":"ember-1m"');
    expect((await tokenize(server, { model: "broken-1m", text: "Hello" })).status).toBe(503);
    expect(server.engine.loaded).toEqual(["ember-1m"]);
  });

  it("require the ACL as local ones do; a forbidden name is a 403 whether it is known or not", async () => {
    const server = shared();
    const send = async (model: string, key: string) => {
      return (await tokenize(server, { model, text: "Hello" }, key)).status;
    };
    expect(await send("gpt-4o", keys.cleo)).toBe(200);
    expect(await send("gpt-4o", keys.bob)).toBe(403);
    for (const model of ["gpt-4", "gpt-9"]) expect(await send(model, keys.cleo)).toBe(403);
    expect(await send("gpt-9", keys.ada)).toBe(404);
  });
});

describe("a text that a tokenizer needs seconds for", () => {
  const size = 128 * 1024;
  const hostile = {
    letters: "a",
    spaces: " ",
    signs: "=",
    "signs and marks": "=\u0301",
    "signs and invisible ones": "=\ufeff",
    "line ends after signs": "\n/",
    "spaces of two kinds": " \u0085",
    ideographs: "\u4e2d",
  };

  it("such as 128 KiB of one kind of characters, is refused for its size, and other requests are served", async () => {
    // Its time never passes, so that the time limit of the thread does not end the work.
    const server = await serverWith(testTokenizer(createManualClock(0)));
    for (const [kind, unit] of Object.entries(hostile)) {
      const text = unit.repeat(size / Buffer.byteLength(unit));
      const { status, body } = await tokenize(server, { model: "gpt-4o", text });
      expect([kind, status, body]).toEqual([kind, 400, expect.stringContaining('"param":"text"')]);
      expect(body).toContain("text: its runs of letters, signs or spaces without a break take too long");
    }
    expect((await tokenize(server, { model: "gpt-4o", text: "Hello" })).ids).toEqual([13225]);
    expect((await post(server, hello)).status).toBe(200);
  });

  it("is counted exactly when its runs are not too long, and digits are never too long for newer encodings", async () => {
    const server = await serverWith(testTokenizer());
    const encoding = get_encoding("o200k_base");
    for (const text of [
      `${"a".repeat(15_000)} ${"b".repeat(999)}`,
      "7".repeat(size),
      "two words ".repeat(13_000),
    ]) {
      const { status, ids } = await tokenize(server, { model: "gpt-4o", text });
      expect([status, ids.length]).toEqual([200, encoding.encode(text, [], []).length]);
    }
    encoding.free();
  });
});

function serverWith(hostedTokenizer: ReturnType<typeof testTokenizer>): Promise<ScriptedServer> {
  return startServer({
    engine: () => ["Good", " day."],
    hostedTokenizer,
    config: { bodyBytesMax: 1024 * 1024 },
  });
}

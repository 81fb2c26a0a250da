/** POST /v1/tokenize-text by the names of hosted models, whose tokens are tiktoken's. */
import fc from "fast-check";
import { createRequire } from "node:module";
import { get_encoding, type TiktokenEncoding } from "tiktoken";
import { describe, expect, it } from "vitest";
import { testTokenizer } from "../../harness.js";
import { compose, headersOf, hello, keys, post, type TestServer } from "../compose.js";
import { createManualClock } from "../manual-clock.js";

/** How long the thread may take over a text. */
const workMsMax = 5_000;

const tableOfNames = createRequire(import.meta.url)("tiktoken/model_to_encoding.json") as Readonly<
  Record<string, TiktokenEncoding>
>;

/** A model of each encoding there is. */
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

async function tokenize(server: TestServer, body: object, key: string = keys.ada): Promise<Told> {
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

/** Texts of what makes tokenizers differ, broken characters among it. */
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
  it("tells exactly tiktoken's tokens, and bytes that together are the text's", async () => {
    const server = await compose(() => []);
    const encodings = new Map(models.map((model) => [model, get_encoding(tableOfNames[model] ?? "gpt2")]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...models), texts(), async (model, text) => {
        const told = await tokenize(server, { model, text });
        expect(told.status).toBe(200);
        expect(told.ids).toEqual([...(encodings.get(model)?.encode(text, [], []) ?? [])]);
        expect(told.bytes.equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: 300 },
    );
    for (const encoding of encodings.values()) encoding.free();
  });

  it("says of each token its number, text and bytes, and of whose model they are", async () => {
    const { body } = await tokenize(await compose(() => []), {
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

  it("knows the names that tiktoken knows, and no other", () => {
    const tokenizer = testTokenizer();
    const names = Object.keys(tableOfNames);
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !tokenizer.knows(name))).toEqual([]);
    const strange = ["constructor", "__proto__", "GPT-4o", "gpt-4o ", "o200k_base", "gpt-4o/x", ""];
    expect(strange.filter((name) => tokenizer.knows(name))).toEqual([]);
  });

  it("loads no model and records nothing", async () => {
    const server = await compose(() => []);
    await tokenize(server, { model: "gpt-4", text: "Hello" });
    expect([server.engine.loaded, server.records]).toEqual([[], []]);
  });
});

describe("the names of hosted models", () => {
  it("stand behind those of this server: a local model, by id or alias, is asked itself", async () => {
    const hostedTokenizer = { ...testTokenizer(), knows: () => true };
    const server = await compose(() => [], { http: { hostedTokenizer } });
    for (const model of ["ember", "ember-1m"])
      expect((await tokenize(server, { model, text: "Hello" })).body).toContain('"model":"ember-1m"');
    expect((await tokenize(server, { model: "broken-1m", text: "Hello" })).status).toBe(503);
    expect(server.engine.loaded).toEqual(["ember-1m"]);
  });

  it("need the ACL as local ones do, and one that the key may not use is answered as if it were unknown", async () => {
    const server = await compose(() => []);
    const ask = async (model: string, key: string) => {
      const { status, body } = await tokenize(server, { model, text: "Hello" }, key);
      return [status, body.replaceAll(model, "NAME")];
    };
    expect((await ask("gpt-4o", keys.cleo))[0]).toBe(200);
    expect((await ask("gpt-4o", keys.bob))[0]).toBe(403);
    expect((await ask("gpt-4", keys.cleo))[0]).toBe(404);
    expect(await ask("gpt-4", keys.cleo)).toEqual(await ask("gpt-9", keys.cleo));
    expect(await ask("gpt-9", keys.ada)).toEqual(await ask("gpt-9", keys.cleo));
  });
});

describe("a text that takes a tokenizer seconds", () => {
  it.each(["a", " ", "="])(
    "such as 128 KiB of '%s' is refused in time, and others are served all the while",
    async (letter) => {
      const clock = createManualClock(0);
      const server = await compose(() => ["Good", " day."], {
        http: { hostedTokenizer: testTokenizer(clock), limits: { bodyBytesMax: 1024 * 1024 } },
      });
      let answered = false;
      const hostile = tokenize(server, { model: "gpt-4o", text: letter.repeat(128 * 1024) });
      void hostile.then(() => (answered = true));
      await clock.whenWaiting(workMsMax);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect((await post(server, hello)).status).toBe(200);
      expect((await tokenize(server, { model: "ember", text: "Hello" })).status).toBe(200);
      const next = tokenize(server, { model: "gpt-4o", text: "Hello" });
      expect(answered).toBe(false);
      clock.advance(workMsMax);
      const { status, body } = await hostile;
      expect([status, body]).toEqual([400, expect.stringContaining('"param":"text"')]);
      expect(body).toContain("text: takes longer than 5000 ms to tokenize");
      expect((await next).ids).toEqual([13225]);
    },
  );
});

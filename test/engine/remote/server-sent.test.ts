import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventTooLong, eventCharactersMax, serverSentData } from "../../../src/engine/remote/server-sent.js";

async function* asChunks(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}

async function readAll(parts: Iterable<Uint8Array>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const data of serverSentData(asChunks(parts))) found.push(data);
  return found;
}

function* repeat(part: string, times: number): Generator<Uint8Array> {
  const bytes = Buffer.from(part);
  for (let time = 0; time < times; time += 1) yield bytes;
}

describe("events that a server sends", () => {
  it("are the same however their bytes are cut, and whatever ends their lines", async () => {
    const line = fc.stringMatching(/^[^\r\n]{0,12}$/);
    const events = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
    const ending = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(events, ending, fc.integer({ min: 1, max: 9 }), async (sent, end, size) => {
        const text = sent.map((lines) => `${lines.map((each) => `data: ${each}${end}`).join("")}${end}`);
        const bytes = Buffer.from(`: ping${end}${end}${text.join("")}`);
        const cut = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        expect(await readAll(cut)).toEqual(sent.map((lines) => lines.join("\n")));
      }),
    );
  });

  it.each([
    ["one line without an end", "x".repeat(65_536)],
    ["lines without an empty one", `data: ${"x".repeat(65_536)}\n`],
    ["one comment without an end", `: ${"x".repeat(65_536)}`],
  ])("F23: are refused when they are longer than the limit: %s", async (_, part) => {
    const parts = repeat(part, Math.ceil(eventCharactersMax / 65_536) + 1);
    await expect(readAll(parts)).rejects.toThrow(EventTooLong);
  });

  it("count at the end of the body without an empty line", async () => {
    expect(await readAll([Buffer.from("data: one\n\ndata: two\ndata: three")])).toEqual([
      "one",
      "two\nthree",
    ]);
  });

  it("F23: may be many in all, each within the limit", async () => {
    const found = await readAll(repeat(`data: ${"x".repeat(65_536)}\n\n`, 100));
    expect(found).toHaveLength(100);
  });
});

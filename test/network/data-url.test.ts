import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDataUrl } from "../../src/network/data-url.js";

const bytesMax = 1000;
const read = (url: string): Promise<Uint8Array> => readDataUrl(url, "image", bytesMax);

describe("a data URL", () => {
  it("decodes to the original bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: bytesMax }), async (bytes) => {
        const url = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
        expect(Buffer.compare(await read(url), bytes)).toBe(0);
      }),
    );
  });

  it.each(["data:;base64,AAAA", "DATA:image/PNG;charset=x;BASE64,AAAA", "data:text/html;base64,AAAA"])(
    "is read as %s",
    async (url) => {
      expect(await read(url)).toHaveLength(3);
    },
  );

  it.each([
    ["no base64", "data:image/svg+xml,<svg/>", /of the form data:/],
    ["no comma", "data:image/png;base64", /of the form data:/],
    ["nothing", "data:image/png;base64,", /is empty/],
    ["only padding", "data:image/png;base64,====", /is empty|not valid/],
  ])("is refused with %s", async (_case, url, message) => {
    await expect(read(url)).rejects.toThrow(message);
  });
});

describe("a long data URL, which is decoded in chunks", () => {
  const pieceBytes = 768 * 1024;
  const readLong = (text: string): Promise<Uint8Array> =>
    readDataUrl(`data:;base64,${text}`, "image", 8 * pieceBytes);

  it.each([2 * pieceBytes, 2 * pieceBytes + 1, 2 * pieceBytes + 2, 3 * pieceBytes - 1])(
    "decodes to all %i bytes",
    async (length) => {
      const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 7919) % 251));
      expect(Buffer.compare(await readLong(bytes.toString("base64")), bytes)).toBe(0);
    },
  );

  it.each(["=", "_", "\n"])("is rejected for a %j where a chunk ends", async (wrong) => {
    const text = Buffer.alloc(2 * pieceBytes, 77).toString("base64");
    const cut = (4 * pieceBytes) / 3;
    await expect(readLong(`${text.slice(0, cut - 1)}${wrong}${text.slice(cut)}`)).rejects.toThrow(
      /not valid base64/,
    );
  });
});

describe("B4: invalid base64", () => {
  it.each([
    ["white space", "AAAA AAAA"],
    ["a line break", "AAAA\nAAAA"],
    ["the URL's alphabet", "-_-_"],
    ["no padding", "AAAAAA"],
    ["too much padding", "AAA====="],
    ["padding in the middle", "AA==AAAA"],
    ["percent signs", "AAA%3D"],
    ["other letters", "ÄÄÄÄ"],
  ])("is refused with %s", async (_case, text) => {
    await expect(read(`data:image/png;base64,${text}`)).rejects.toThrow(/^image: is not valid base64/);
  });

  it("is rejected for its size before decoding", async () => {
    const most = Buffer.alloc(bytesMax).toString("base64");
    expect(await read(`data:image/png;base64,${most}`)).toHaveLength(bytesMax);
    const long = `data:image/png;base64,${"!".repeat(200 * 1024 * 1024)}`;
    await expect(read(long)).rejects.toThrow(/is larger than the 1000 bytes/);
  });

  it("is rejected quickly for an endless header", async () => {
    await expect(read(`data:${";a".repeat(5_000_000)}`)).rejects.toThrow(/of the form data:/);
  });
});

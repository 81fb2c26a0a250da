import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDataUrl } from "../../../../src/engine/vision/fetch/data-url.js";

const bytesMax = 1000;
const read = (url: string): Uint8Array => readDataUrl(url, "image", bytesMax);

describe("a data URL", () => {
  it("gives back the very bytes that it was made of", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: bytesMax }), (bytes) => {
        const url = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
        expect(Buffer.compare(read(url), bytes)).toBe(0);
      }),
    );
  });

  it.each(["data:;base64,AAAA", "DATA:image/PNG;charset=x;BASE64,AAAA", "data:text/html;base64,AAAA"])(
    "is read as %s",
    (url) => {
      expect(read(url)).toHaveLength(3);
    },
  );

  it.each([
    ["no base64", "data:image/svg+xml,<svg/>", /of the form data:/],
    ["no comma", "data:image/png;base64", /of the form data:/],
    ["nothing", "data:image/png;base64,", /holds no bytes/],
    ["only padding", "data:image/png;base64,====", /holds no bytes|not valid/],
  ])("is refused with %s", (_case, url, message) => {
    expect(() => read(url)).toThrow(message);
  });
});

describe("B4: base64 that is not quite base64", () => {
  it.each([
    ["white space", "AAAA AAAA"],
    ["a line break", "AAAA\nAAAA"],
    ["the URL's alphabet", "-_-_"],
    ["no padding", "AAAAAA"],
    ["too much padding", "AAA====="],
    ["padding in the middle", "AA==AAAA"],
    ["percent signs", "AAA%3D"],
    ["other letters", "ÄÄÄÄ"],
  ])("is refused with %s", (_case, text) => {
    expect(() => read(`data:image/png;base64,${text}`)).toThrow(/^image: is not valid base64/);
  });

  it("is refused for its size before any of it is decoded", () => {
    const most = Buffer.alloc(bytesMax).toString("base64");
    expect(read(`data:image/png;base64,${most}`)).toHaveLength(bytesMax);
    const long = `data:image/png;base64,${"!".repeat(200 * 1024 * 1024)}`;
    expect(() => read(long)).toThrow(/is larger than the 1000 bytes/);
  });

  it("is refused for a head without end in no time", () => {
    expect(() => read(`data:${";a".repeat(5_000_000)}`)).toThrow(/of the form data:/);
  });
});

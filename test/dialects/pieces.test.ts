import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { prefixed, together, type Piece } from "../../src/dialects/pieces.js";

const image = (url: string) => ({ url, detail: "auto" as const, param: url });
const texts = fc.string({
  unit: fc.constantFrom("a", " ", "\u{1f600}", "\ud83d", "\ude00", "]"),
  maxLength: 4,
});
const pieces = fc.array(
  fc.oneof(
    texts,
    fc.nat(9).map((at) => image(`i${at}`)),
  ),
  { maxLength: 8 },
);

/** The pieces again, as a text in which images are their URLs in brackets. */
const written = (content: string, images: readonly { at: number; url: string }[] = []): string =>
  images.toReversed().reduce((text, { at, url }) => `${text.slice(0, at)}[${url}]${text.slice(at)}`, content);

describe("pieces of a message", () => {
  it("are together what they are apart, with every image in its place", () => {
    fc.assert(
      fc.property(
        pieces,
        fc.constantFrom("", "\n\n"),
        fc.constantFrom("", "Error: "),
        (all, between, prefix) => {
          const { content, images } = prefixed(prefix, together(all, between));
          const shown = all
            .filter((piece) => piece !== "")
            .map((piece) => (typeof piece === "string" ? piece : `[${piece.url}]`));
          const whole = prefix + shown.join(between);
          expect(written(content, images)).toBe(whole.replace(/\p{Surrogate}/gu, "\ufffd"));
        },
      ),
    );
  });

  it("have no images where there are none", () => {
    expect(together(["a", "", "b"] as Piece[], "\n")).toEqual({ content: "a\nb" });
  });
});

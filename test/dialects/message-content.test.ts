import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withPrefix, joinParts, type MessageContentPart } from "../../src/dialects/message-content.js";

const image = (url: string) => ({ url, detail: "auto" as const, param: url });
const texts = fc.string({
  unit: fc.constantFrom("a", " ", "\u{1f600}", "\ud83d", "\ude00", "]"),
  maxLength: 4,
});
const parts = fc.array(
  fc.oneof(
    texts,
    fc.nat(9).map((at) => image(`i${at}`)),
  ),
  { maxLength: 8 },
);

/** Writes content as text, with the URLs of images in brackets. */
const asText = (content: string, images: readonly { at: number; url: string }[] = []): string =>
  images.toReversed().reduce((text, { at, url }) => `${text.slice(0, at)}[${url}]${text.slice(at)}`, content);

describe("the joined parts of a message", () => {
  it("contain all texts and images in order", () => {
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom("", "\n\n"),
        fc.constantFrom("", "Error: "),
        (all, between, prefix) => {
          const { content, images } = withPrefix(prefix, joinParts(all, between));
          const shown = all
            .filter((piece) => piece !== "")
            .map((piece) => (typeof piece === "string" ? piece : `[${piece.url}]`));
          const whole = prefix + shown.join(between);
          expect(asText(content, images)).toBe(whole.replace(/\p{Surrogate}/gu, "\ufffd"));
        },
      ),
    );
  });

  it("have no images field if there are no images", () => {
    expect(joinParts(["a", "", "b"] as MessageContentPart[], "\n")).toEqual({ content: "a\nb" });
  });
});

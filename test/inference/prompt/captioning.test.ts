import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HearthError } from "../../../src/core/errors.js";
import type { Message } from "../../../src/core/generation.js";
import type { MessageImage } from "../../../src/core/images/images.js";
import type { DescribeOptions } from "../../../src/core/images/vision.js";
import { createCaptioning, type CaptioningDeps } from "../../../src/inference/prompt/captioning.js";
import { ember } from "../../kit/scripted/ember.js";

const never = new AbortController().signal;
const image = (at: number, url: string, detail: MessageImage["detail"] = "auto"): MessageImage => ({
  at,
  url,
  detail,
  param: `param of ${url}`,
});

/** Captioning of images whose bytes are their URL, and which are described by that URL in capitals. */
function ground(deps: Partial<CaptioningDeps> = {}) {
  const fetched: string[] = [];
  const looks: [url: string, look: DescribeOptions][] = [];
  const grounding = createCaptioning({
    fetcher: {
      fetch: async (url) => {
        fetched.push(url);
        return Buffer.from(url);
      },
    },
    decoder: { decode: async (bytes) => ({ width: 1, height: 1, rgb: bytes }) },
    vision: {
      describe: async (_model, { rgb }, look) => {
        const url = Buffer.from(rgb).toString();
        looks.push([url, look]);
        return { text: url.toUpperCase(), tokens: 1 };
      },
      residents: () => [],
      close: () => Promise.resolve(),
    },
    visionModel: () => ember,
    imagesMax: 100,
    ...deps,
  });
  const told = async (messages: readonly Message[], team = "team-1") =>
    (await grounding.caption(messages, team, never)).messages.map(({ content }) => content);
  return { grounding, told, fetched, looks };
}

const user = (content: string, ...images: MessageImage[]): Message => ({ role: "user", content, images });

describe("a conversation with images", () => {
  it("has each image replaced by its description, on its own lines, and keeps everything else", async () => {
    const places = fc.tuple(
      fc.array(fc.constantFrom("a", "b", "\n", " "), { maxLength: 12 }),
      fc.array(fc.nat(12), { maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(places, async ([letters, ats]) => {
        const content = letters.join("");
        const at = ats.map((each) => Math.min(each, content.length)).sort((a, b) => a - b);
        const { told } = ground();
        const [text = ""] = await told([user(content, ...at.map((each, index) => image(each, `i${index}`)))]);
        const lines = text.split("\n");
        const shown = lines.filter((line) => line.startsWith("[image: "));
        expect(shown).toEqual(at.map((_, index) => `[image: I${index}]`));
        const without = text.replaceAll(/\[image: I\d\]/g, "").replaceAll("\n", "");
        expect(without).toBe(content.replaceAll("\n", ""));
      }),
    );
  });

  it("has no images afterwards, and the same messages when it had none", async () => {
    const plain: Message = { role: "system", content: "Be brief." };
    const { messages, imageTexts } = await ground().grounding.caption(
      [plain, user("", image(0, "a"))],
      "t",
      never,
    );
    expect(messages[0]).toEqual(plain);
    expect(messages[1]).toEqual({ role: "user", content: "[image: A]" });
    expect([...imageTexts.values()]).toEqual([["[image: A]"]]);
    expect(await ground({ visionModel: () => null }).told([plain])).toEqual(["Be brief."]);
  });

  it("has an image without a description replaced by a placeholder", async () => {
    const vision = {
      ...ground().grounding,
      describe: async () => ({ text: "", tokens: 1 }),
      residents: () => [],
      close: async () => undefined,
    };
    expect(await ground({ vision }).told([user("", image(0, "a"))])).toEqual(["[image]"]);
  });

  it("has an image described once, also over several requests and for equal details", async () => {
    const { told, looks } = ground();
    const twice = user("x", image(0, "a"), image(1, "a", "low"), image(1, "b"));
    await told([twice]);
    await told([twice, user("", image(0, "b"))]);
    expect(looks.map(([url]) => url)).toEqual(["a", "b"]);
  });

  it("has an image described again for a higher detail and for another team", async () => {
    const { told, looks } = ground();
    await told([user("", image(0, "a"))]);
    await told([user("", image(0, "a", "high"))]);
    await told([user("", image(0, "a"))], "team-2");
    expect(looks).toEqual([
      ["a", { detail: "low" }],
      ["a", { detail: "high" }],
      ["a", { detail: "low" }],
    ]);
  });

  it("has an image fetched each time, because the content of a URL may change", async () => {
    const { told, fetched } = ground();
    await told([user("", image(0, "a"))]);
    await told([user("", image(0, "a"))]);
    expect(fetched).toEqual(["a", "a"]);
  });

  it("may contain images up to the limit; with one more it is rejected before any is fetched", async () => {
    const { told, fetched } = ground({ imagesMax: 2 });
    await told([user("", image(0, "a")), user("", image(0, "b"))]);
    await expect(
      told([user("", image(0, "a")), user("", image(0, "b"), image(0, "c"))]),
    ).rejects.toMatchObject({
      kind: "invalid_value",
      param: "param of c",
      message: "param of c: a request may hold at most 2 images, this one holds 3",
    });
    expect(fetched).toEqual(["a", "b"]);
  });

  it("is rejected with the first image named when there is no vision model", async () => {
    const refused = ground({ visionModel: () => null }).told([user("x", image(0, "a"), image(1, "b"))]);
    await expect(refused).rejects.toMatchObject({ param: "param of a", code: "unsupported_parameter" });
  });

  it("fails with the error of its image, and caches no failure", async () => {
    let broken = true;
    const { told } = ground({
      decoder: {
        decode: async (bytes, param) => {
          if (broken) throw new HearthError("invalid_value", `${param}: is damaged`, { param });
          return { width: 1, height: 1, rgb: bytes };
        },
      },
    });
    await expect(told([user("", image(0, "a"))])).rejects.toThrow("param of a: is damaged");
    broken = false;
    expect(await told([user("", image(0, "a"))])).toEqual(["[image: A]"]);
  });

  it("loses the optional ones that cannot be described, and refuses none of them", async () => {
    const optional = (url: string): MessageImage => ({ ...image(1, url), optional: true });
    const shown = user("A", image(1, "u1"), optional("u2"), optional("u3"));
    expect(await ground({ imagesMax: 2 }).told([shown])).toEqual(["A\n[image: U1]\n[image: U2]"]);
    const failing = { decode: () => Promise.reject(new Error("damaged")) };
    expect(await ground({ decoder: failing }).told([user("A", optional("u1"))])).toEqual(["A"]);
    expect(await ground({ visionModel: () => null }).told([user("A", optional("u1"))])).toEqual(["A"]);
  });
});

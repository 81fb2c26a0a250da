import type { Tensor } from "@huggingface/transformers";
import { describe, expect, it } from "vitest";
import { visionFamilies } from "../../../src/engine/vision/families.js";
import { openProcessor, rawImage } from "../../../src/engine/vision/transformers.js";
import { temporaryFolder } from "../../kit/folder.js";
import { writeCaptioner } from "../../kit/models/vision/captioner.js";
import { writeFlorence2 } from "../../kit/models/vision/florence2.js";
import { writeMoondream } from "../../kit/models/vision/moondream.js";
import { writeQwen2Vl, writeSmolVlm } from "../../kit/models/vision/vision-chat.js";
import { black, blue, green, picture, red, startVisionEngine } from "./test-engine.js";

const layouts: Readonly<Record<string, (folder: string) => void>> = {
  "vision-encoder-decoder": writeCaptioner,
  idefics3: (folder) => writeSmolVlm(folder, "idefics3"),
  smolvlm: writeSmolVlm,
  florence2: writeFlorence2,
  moondream1: writeMoondream,
  qwen2_vl: writeQwen2Vl,
};

describe("the supported families", () => {
  it("are all tested below with their published layout", () => {
    expect(Object.keys(layouts)).toEqual(visionFamilies);
  });
});

describe("the prompt of SmolVLM", () => {
  /** Returns the tokens of a prompt with an image, with <image> once for each feature. */
  const promptOf = async (splitting: boolean, width: number, height: number): Promise<string> => {
    const folder = temporaryFolder();
    writeSmolVlm(folder);
    const process = await openProcessor(folder);
    const { input_ids } = await process("<image>red", [rawImage(picture([red], width, height))], {
      do_image_splitting: splitting,
    });
    return process.tokenizer.decode(input_ids as Tensor);
  };
  const tile = (name: string): string => `<fake_token_around_image><${name}><image><image>`;

  it("has the whole image, and for details each tile by row and column before it", async () => {
    const whole = `${tile("global-img")}<fake_token_around_image>`;
    const plain = (text: string): string => text.replaceAll(" ", "");
    expect(plain(await promptOf(false, 64, 64))).toBe(`${whole}red`);
    expect(plain(await promptOf(true, 64, 32))).toBe(
      `${tile("row_1_col_1")}${tile("row_1_col_2")}${whole}red`,
    );
  });
});

describe("Moondream", () => {
  it("is refused when it is opened, if its configuration does not state how many tokens an image takes", async () => {
    const { describe: look, logs } = startVisionEngine((folder) =>
      writeMoondream(folder, { num_image_tokens: null }),
    );
    await expect(look(picture([red]))).rejects.toMatchObject({ kind: "model_unavailable" });
    expect(logs.join()).toContain("config.json has no num_image_tokens");
  });
});

describe.each(Object.entries(layouts))("a folder of the family %s", (family, write) => {
  it("loads unchanged, and describes images of any proportions", async () => {
    const { describe: look } = startVisionEngine(write);
    expect(await look(picture([red]))).toEqual({ text: "red picture", tokens: 3 });
    expect((await look(picture([green], 32, 300))).text).toBe("green picture");
    expect((await look(picture([blue], 300, 32))).text).toBe("blue picture");
    expect((await look(picture([red]), { prompt: "What is it?" })).text).toBe("red picture");
  });

  it("describes details when requested, and counts those tokens", async () => {
    const { describe: look } = startVisionEngine(write);
    const { text, tokens } = await look(picture([green], 600, 600), { detail: "high" });
    const more = family === "vision-encoder-decoder" ? 4 : 1;
    expect(text.split("\n")).toHaveLength(1 + more);
    expect(text.match(/green picture/g)).toHaveLength(1 + more);
    expect(tokens).toBe(3 * (1 + more));
  });

  it("stops between two tokens", async () => {
    const { describe: look } = startVisionEngine(write);
    await look(picture([red]));
    const leaving = new AbortController();
    const endless = look(picture([black]), {}, leaving.signal);
    leaving.abort(new Error("gone"));
    await expect(endless).rejects.toThrow("gone");
    expect((await look(picture([red]))).text).toBe("red picture");
  });
});

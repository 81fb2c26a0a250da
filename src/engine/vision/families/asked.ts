/**
 * Models that are asked about a picture in a chat and answer in words (SmolVLM and Idefics3, Qwen2-VL): embed_tokens,
 * vision_encoder and decoder_model_merged, with a chat template. A closer look is a second question, with as many tokens of the
 * picture as the family has to give.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AutoModelForImageTextToText, type RawImage } from "@huggingface/transformers";
import type { Picture } from "../../../core/images.js";
import type { Described } from "../../../core/vision.js";
import type { OpenOptions, OpenSeer, Seer, Stopped } from "../family.js";
import {
  openProcessor,
  openRunner,
  rawImage,
  readTokens,
  stopWhen,
  type Feeds,
  type Processor,
} from "../library.js";

/** What differs from family to family: how its processor is called. */
type Feed = (process: Processor, text: string, image: RawImage, closely: boolean) => Promise<Feeds>;

const describeTokensMax = 256;
const closerTokensMax = 512;
const whatIsIt = "Describe this image in one or two sentences.";
const whatElse =
  "Describe the details of this image: every object with its colour and place. Write out all text in it, word for word.";
/** Longest side of a picture that a family would else take at its full size, at its cost. */
const sideMax = { whole: 448, closely: 1024 } as const;

/** SmolVLM and Idefics3: one look at the whole, or one at each tile as well. */
export const openIdefics: OpenSeer = opener((process, text, image, closely) =>
  process(text, [image], { do_image_splitting: closely }),
);

/** Qwen2-VL: as many tokens as the picture has patches. */
export const openQwen: OpenSeer = opener(async (process, text, image, closely) =>
  process(text, await within(image, closely ? sideMax.closely : sideMax.whole)),
);

function opener(feed: Feed): OpenSeer {
  return (folder, options) => open(feed, folder, options);
}

async function open(feed: Feed, folder: string, options: OpenOptions): Promise<Seer> {
  const [process, template] = await Promise.all([openProcessor(folder), templateOf(folder)]);
  const runner = await openRunner(AutoModelForImageTextToText, folder, options);
  const { tokenizer } = process;
  const ask = async (
    picture: Picture,
    question: string,
    closely: boolean,
    stopped: Stopped,
  ): Promise<Described> => {
    const content = [{ type: "image" }, { type: "text", text: question }];
    const text = process.apply_chat_template([{ role: "user", content }], {
      add_generation_prompt: true,
      ...(template === null ? {} : { chat_template: template }),
    });
    const inputs = await feed(process, text, rawImage(picture), closely);
    const output = await runner.generate({
      ...inputs,
      do_sample: false,
      max_new_tokens: closely ? closerTokensMax : describeTokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    return readTokens(tokenizer, output, lengthOf(inputs));
  };
  return {
    describe: (picture, prompt, stopped) => ask(picture, prompt ?? whatIsIt, false, stopped),
    lookCloser: async (picture, stopped) => [await ask(picture, whatElse, true, stopped)],
    dispose: async () => void (await runner.dispose()),
  };
}

/** Templates lie in files of their own where the tokenizer's configuration has none. */
async function templateOf(folder: string): Promise<string | null> {
  const jinja = await readFile(join(folder, "chat_template.jinja"), "utf8").catch(() => null);
  if (jinja !== null) return jinja;
  const json = await readFile(join(folder, "chat_template.json"), "utf8").catch(() => null);
  const template = json === null ? null : (JSON.parse(json) as { chat_template?: unknown }).chat_template;
  return typeof template === "string" ? template : null;
}

async function within(image: RawImage, side: number): Promise<RawImage> {
  const scale = side / Math.max(image.width, image.height);
  if (scale >= 1) return image;
  const sized = (length: number): number => Math.max(1, Math.round(length * scale));
  return image.resize(sized(image.width), sized(image.height));
}

/** Tokens of the prompt, with which the output begins. */
function lengthOf(inputs: Feeds): number {
  return (inputs["input_ids"] as { readonly dims: readonly number[] }).dims.at(-1) ?? 0;
}

/**
 * Models that answer questions about an image in a chat (SmolVLM and Idefics3, Qwen2-VL): embed_tokens, vision_encoder and
 * decoder_model_merged, with a chat template. Details are described by a second question, with as many image tokens as the family
 * supports.
 */
import { join } from "node:path";
import {
  AutoModelForImageTextToText,
  type PreTrainedTokenizer,
  type RawImage,
} from "@huggingface/transformers";
import { HearthError } from "../../../core/errors.js";
import type { DecodedImage } from "../../../core/images/images.js";
import type { ImageDescription } from "../../../core/images/vision.js";
import { readRegularFile } from "../../../system/regular-file.js";
import type { TemplateRenderer } from "../../language/renderer/renderer.js";
import type { OpenOptions, OpenVisionModel, VisionModel, Stopped } from "../family.js";
import {
  openProcessor,
  openRunner,
  promptLength,
  rawImage,
  readCaption,
  stopWhen,
  type Feeds,
  type Processor,
} from "../transformers.js";

/** Calls the processor; the arguments depend on the family. */
type Feed = (process: Processor, text: string, image: RawImage, detailed: boolean) => Promise<Feeds>;

const templateBytesMax = 4 * 1024 * 1024;
const describeTokensMax = 256;
const detailsTokensMax = 512;
const descriptionPrompt = "Describe this image in one or two sentences.";
const detailsPrompt =
  "Describe the details of this image: every object with its colour and place. Write out all text in it, word for word.";
/** Maximum side of an image, for families that would otherwise process it at full size. */
const sideMax = { whole: 448, detailed: 1024 } as const;

/** SmolVLM and Idefics3: encodes the whole image, and for details each tile as well. */
export const openIdefics: OpenVisionModel = opener((process, text, image, detailed) =>
  process(text, [image], { do_image_splitting: detailed }),
);

/** Qwen2-VL: one token per patch of the image. */
export const openQwen: OpenVisionModel = opener(async (process, text, image, detailed) =>
  process(text, await resizeWithin(image, detailed ? sideMax.detailed : sideMax.whole)),
);

function opener(feed: Feed): OpenVisionModel {
  return (folder, options) => open(feed, folder, options);
}

async function open(feed: Feed, folder: string, options: OpenOptions): Promise<VisionModel> {
  const [process, ownTemplate] = await Promise.all([openProcessor(folder), readChatTemplate(folder)]);
  const runner = await openRunner(AutoModelForImageTextToText, folder, options.threads);
  const { tokenizer } = process;
  const renderer = options.openRenderer(tokenizer.get_chat_template({ chat_template: ownTemplate }));
  const ask = async (
    picture: DecodedImage,
    question: string,
    detailed: boolean,
    stopped: Stopped,
  ): Promise<ImageDescription> => {
    const text = await renderQuestion(renderer, tokenizer, question);
    const inputs = await feed(process, text, rawImage(picture), detailed);
    const output = await runner.generate({
      ...inputs,
      do_sample: false,
      max_new_tokens: detailed ? detailsTokensMax : describeTokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    return readCaption(tokenizer, output, promptLength(inputs));
  };
  return {
    describe: (picture, prompt, stopped) => ask(picture, prompt ?? descriptionPrompt, false, stopped),
    describeDetails: async (picture, stopped) => [await ask(picture, detailsPrompt, true, stopped)],
    async dispose() {
      await renderer.close();
      await runner.dispose();
    },
  };
}

/** @throws HearthError `model_unavailable` when the template exceeds its budget. */
async function renderQuestion(
  renderer: TemplateRenderer,
  { bos_token, eos_token }: PreTrainedTokenizer,
  question: string,
): Promise<string> {
  const content = [{ type: "image" }, { type: "text", text: question }];
  const rendering = await renderer.render({
    messages: [{ role: "user", content }],
    add_generation_prompt: true,
    bos_token,
    eos_token,
  });
  if (rendering.type === "text") return rendering.text;
  if (rendering.type !== "exceeded") throw new Error(`the chat template fails: ${rendering.reason}`);
  throw new HearthError("model_unavailable", `The chat template of the vision model ${rendering.limit}.`);
}

/** Reads the chat template from its own file; null when the tokenizer's configuration contains it. */
async function readChatTemplate(folder: string): Promise<string | null> {
  const read = async (name: string): Promise<string | null> =>
    (await readRegularFile(join(folder, name), templateBytesMax).catch(() => null))?.toString("utf8") ?? null;
  const jinja = await read("chat_template.jinja");
  if (jinja !== null) return jinja;
  const json = await read("chat_template.json");
  const template = json === null ? null : (JSON.parse(json) as { chat_template?: unknown }).chat_template;
  return typeof template === "string" ? template : null;
}

async function resizeWithin(image: RawImage, side: number): Promise<RawImage> {
  const scale = side / Math.max(image.width, image.height);
  if (scale >= 1) return image;
  const sized = (length: number): number => Math.max(1, Math.round(length * scale));
  return image.resize(sized(image.width), sized(image.height));
}

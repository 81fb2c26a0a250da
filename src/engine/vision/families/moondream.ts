/**
 * Moondream 2 in the layout of Xenova/moondream2: embed_tokens, vision_encoder and decoder_model_merged, without a chat template. Every
 * image takes the fixed number of tokens that config.json states. Details are described by a second question.
 */
import { AutoModelForImageTextToText } from "@huggingface/transformers";
import type { DecodedImage } from "../../../core/images/images.js";
import type { ImageDescription } from "../../../core/images/vision.js";
import type { OpenOptions, Stopped, VisionModel } from "../family.js";
import {
  openImageProcessor,
  openRunner,
  openTokenizer,
  promptLength,
  rawImage,
  readCaption,
  stopWhen,
  type Feeds,
  type Runner,
} from "../transformers.js";

const imageToken = "<image>";
/** More tokens than any encoder writes for one image. */
const imageTokensMax = 16_384;
const describeTokensMax = 256;
const detailsTokensMax = 512;
const descriptionPrompt = "Describe this image.";
const detailsPrompt =
  "Describe the details of this image: every object with its colour and place. Write out all text in it.";

/** Opens the three graphs. @throws Error when config.json does not state how many tokens an image takes. */
export async function openMoondream(folder: string, options: OpenOptions): Promise<VisionModel> {
  const [process, tokenizer] = await Promise.all([openImageProcessor(folder), openTokenizer(folder)]);
  const runner = await openRunner(AutoModelForImageTextToText, folder, options.threads);
  const image = imageToken.repeat(countImageTokens(runner));
  const ask = async (
    picture: DecodedImage,
    question: string,
    tokensMax: number,
    stopped: Stopped,
  ): Promise<ImageDescription> => {
    const text = `${tokenizer.bos_token ?? ""}${image}\n\nQuestion: ${question}\n\nAnswer:`;
    const prompt = tokenizer(text, { add_special_tokens: false }) as Feeds;
    const { pixel_values } = await process([rawImage(picture)]);
    const output = await runner.generate({
      ...prompt,
      pixel_values,
      do_sample: false,
      max_new_tokens: tokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    return readCaption(tokenizer, output, promptLength(prompt));
  };
  return {
    describe: (picture, prompt, stopped) =>
      ask(picture, prompt ?? descriptionPrompt, describeTokensMax, stopped),
    describeDetails: async (picture, stopped) => [
      await ask(picture, detailsPrompt, detailsTokensMax, stopped),
    ],
    dispose: async () => void (await runner.dispose()),
  };
}

function countImageTokens({ config }: Runner): number {
  const tokens = config["num_image_tokens"];
  if (Number.isInteger(tokens) && Number(tokens) > 0 && Number(tokens) <= imageTokensMax)
    return Number(tokens);
  throw new Error(`config.json has no num_image_tokens from 1 to ${imageTokensMax}`);
}

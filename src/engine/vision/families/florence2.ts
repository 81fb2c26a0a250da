/**
 * Florence-2: a model with fixed tasks, each selected by a task token (embed_tokens, vision_encoder, encoder_model and
 * decoder_model_merged). It does not answer other questions; its details are the text in the image.
 */
import { AutoModelForImageTextToText } from "@huggingface/transformers";
import type { DecodedImage } from "../../../core/images/images.js";
import type { ImageDescription } from "../../../core/images/vision.js";
import type { OpenOptions, VisionModel, Stopped } from "../family.js";
import { openProcessor, openRunner, rawImage, readCaption, stopWhen } from "../transformers.js";

const caption = "<MORE_DETAILED_CAPTION>";
const reading = "<OCR>";
const tokensMax = 512;

/** Opens the four graphs. */
export async function openFlorence(folder: string, options: OpenOptions): Promise<VisionModel> {
  const process = await openProcessor(folder);
  const runner = await openRunner(AutoModelForImageTextToText, folder, options.threads);
  const perform = async (
    task: string,
    picture: DecodedImage,
    stopped: Stopped,
  ): Promise<ImageDescription> => {
    const inputs = await process(rawImage(picture), task);
    const output = await runner.generate({
      ...inputs,
      do_sample: false,
      max_new_tokens: tokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    // The first token is the decoder's start token, which is not sampled.
    const { text, tokens } = readCaption(process.tokenizer, output, 1);
    return { text: text.replace(/<loc_\d+>/g, "").trim(), tokens };
  };
  return {
    describe: (picture, _prompt, stopped) => perform(caption, picture, stopped),
    async describeDetails(picture, stopped) {
      const { text, tokens } = await perform(reading, picture, stopped);
      return [{ text: text === "" ? "" : `text in it: ${text}`, tokens }];
    },
    dispose: async () => void (await runner.dispose()),
  };
}

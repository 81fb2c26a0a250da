/**
 * Florence-2: a model of tasks, each asked for by a word of its own (embed_tokens, vision_encoder, encoder_model and
 * decoder_model_merged). It cannot be asked anything else; a closer look reads the text that stands in the picture.
 */
import { AutoModelForImageTextToText } from "@huggingface/transformers";
import type { Picture } from "../../../core/images.js";
import type { Described } from "../../../core/vision.js";
import type { OpenOptions, Seer, Stopped } from "../family.js";
import { openProcessor, openRunner, rawImage, readTokens, stopWhen } from "../library.js";

const caption = "<MORE_DETAILED_CAPTION>";
const reading = "<OCR>";
const tokensMax = 512;

/** Opens the four graphs. */
export async function openFlorence(folder: string, options: OpenOptions): Promise<Seer> {
  const process = await openProcessor(folder);
  const runner = await openRunner(AutoModelForImageTextToText, folder, options);
  const perform = async (task: string, picture: Picture, stopped: Stopped): Promise<Described> => {
    const inputs = await process(rawImage(picture), task);
    const output = await runner.generate({
      ...inputs,
      do_sample: false,
      max_new_tokens: tokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    // The first token is the decoder's start, which the model did not sample.
    const { text, tokens } = readTokens(process.tokenizer, output, 1);
    return { text: text.replace(/<loc_\d+>/g, "").trim(), tokens };
  };
  return {
    describe: (picture, _prompt, stopped) => perform(caption, picture, stopped),
    async lookCloser(picture, stopped) {
      const { text, tokens } = await perform(reading, picture, stopped);
      return [{ text: text === "" ? "" : `text in it: ${text}`, tokens }];
    },
    dispose: async () => void (await runner.dispose()),
  };
}

/**
 * Captioning models: an image encoder and a text decoder (VisionEncoderDecoder, such as vit-gpt2-image-captioning). They do not answer
 * questions; details are captions of each quarter of the image.
 */
import { AutoModelForVision2Seq, type Tensor } from "@huggingface/transformers";
import type { DecodedImage } from "../../../core/images/images.js";
import type { ImageDescription } from "../../../core/images/vision.js";
import type { OpenOptions, VisionModel, Stopped } from "../family.js";
import { createGreedyCaptioner } from "../greedy.js";
import {
  openImageProcessor,
  openRunner,
  openTokenizer,
  rawImage,
  readIds,
  readCaption,
  stopWhen,
} from "../transformers.js";
import { cutTiles } from "../tiles.js";

const tokensMax = 128;

/** Opens encoder_model and decoder_model_merged. */
export async function openImageToText(folder: string, options: OpenOptions): Promise<VisionModel> {
  const [process, tokenizer] = await Promise.all([openImageProcessor(folder), openTokenizer(folder)]);
  const runner = await openRunner(AutoModelForVision2Seq, folder, options.threads);
  const greedy = createGreedyCaptioner(runner, tokensMax);
  const caption = async (picture: DecodedImage, stopped: Stopped): Promise<ImageDescription> => {
    const { pixel_values: inputs } = await process([rawImage(picture)]);
    if (greedy !== null) return readIds(tokenizer, await greedy((inputs as Tensor).ort_tensor, stopped));
    const output = await runner.generate({
      inputs,
      max_new_tokens: tokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    // The first token is the decoder's start token, which is not sampled.
    return readCaption(tokenizer, output, 1);
  };
  return {
    describe: (picture, _prompt, stopped) => caption(picture, stopped),
    async describeDetails(picture, stopped) {
      const descriptions: ImageDescription[] = [];
      for (const tile of cutTiles(picture)) {
        if (stopped()) break;
        const { text, tokens } = await caption(tile, stopped);
        descriptions.push({ text: `${tile.place}: ${text}`, tokens });
      }
      return descriptions;
    },
    dispose: async () => void (await runner.dispose()),
  };
}

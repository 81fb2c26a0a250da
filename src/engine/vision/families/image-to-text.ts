/**
 * Models that caption: an encoder of pictures and a decoder of text (VisionEncoderDecoder, such as vit-gpt2-image-captioning).
 * They cannot be asked anything; a closer look is one at each quarter.
 */
import { AutoModelForVision2Seq, type Tensor } from "@huggingface/transformers";
import type { Picture } from "../../../core/images.js";
import type { Described } from "../../../core/vision.js";
import type { OpenOptions, Seer, Stopped } from "../family.js";
import { plainCaption } from "../greedy.js";
import {
  openImageProcessor,
  openRunner,
  openTokenizer,
  rawImage,
  readIds,
  readTokens,
  stopWhen,
} from "../library.js";
import { tilesOf } from "../tiles.js";

const tokensMax = 128;

/** Opens encoder_model and decoder_model_merged. */
export async function openImageToText(folder: string, options: OpenOptions): Promise<Seer> {
  const [process, tokenizer] = await Promise.all([openImageProcessor(folder), openTokenizer(folder)]);
  const runner = await openRunner(AutoModelForVision2Seq, folder, options);
  const plain = plainCaption(runner, tokensMax);
  const caption = async (picture: Picture, stopped: Stopped): Promise<Described> => {
    const { pixel_values: inputs } = await process([rawImage(picture)]);
    if (plain !== null) return readIds(tokenizer, await plain((inputs as Tensor).ort_tensor, stopped));
    const output = await runner.generate({
      inputs,
      max_new_tokens: tokensMax,
      stopping_criteria: stopWhen(stopped),
    });
    // The first token is the decoder's start, which the model did not sample.
    return readTokens(tokenizer, output, 1);
  };
  return {
    describe: (picture, _prompt, stopped) => caption(picture, stopped),
    async lookCloser(picture, stopped) {
      const seen: Described[] = [];
      for (const tile of tilesOf(picture)) {
        if (stopped()) break;
        const { text, tokens } = await caption(tile, stopped);
        seen.push({ text: `${tile.place}: ${text}`, tokens });
      }
      return seen;
    },
    dispose: async () => void (await runner.dispose()),
  };
}

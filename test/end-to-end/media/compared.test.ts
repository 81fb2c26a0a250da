/** Models that see or hear, compared with llama.cpp's own server on the same files, images and sounds. */
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import {
  itWithLlamaServer,
  startLlamaServer,
  withoutLlamaServer,
} from "../../kit/doubles/llama-server/start.js";
import { seeingFamilies } from "../../kit/models/seeing-models.js";
import { risingTone, wavOf } from "../../kit/sound-files.js";
import { describeMedia, look, picture, startMediaServer, withoutMedia } from "./media-server.js";

const completion = z.object({
  tokens_evaluated: z.number(),
  completion_probabilities: z.array(
    z.object({
      token: z.string(),
      logprob: z.number(),
      top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number() })),
    }),
  ),
});
const tokens = 24;
const [before, after] = ["what is in this ", " hello world"];

/** Asks llama-server for the same greedy answer. */
async function askLlamaServer(url: string, medium: Buffer) {
  const { media_marker: marker } = z
    .object({ media_marker: z.string() })
    .parse(await (await fetch(`${url}/props`)).json());
  const answer = await fetch(`${url}/completion`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      prompt: {
        prompt_string: `<|im_start|>user\n${before}${marker}${after}<|im_end|>\n<|im_start|>assistant\n`,
        multimodal_data: [medium.toString("base64")],
      },
      n_predict: tokens,
      temperature: 0,
      n_probs: 5,
    }),
  });
  return completion.parse(await answer.json());
}

describeMedia(`a model that sees or hears${withoutLlamaServer}${withoutMedia}`, () => {
  for (const family of seeingFamilies.filter((name) => name !== "ultravox"))
    itWithLlamaServer(`${family}: answers as llama-server does`, async () => {
      const server = await startMediaServer([family]);
      // In two pieces, at the rate of the projector: each server resamples in its own way.
      const medium = family === "voxtral" ? wavOf(risingTone(), 40) : await picture(200, 120);
      const own = await look(server, family, [before, medium, after], tokens);
      const { models } = server;
      const reference = await startLlamaServer(join(models, `${family}.gguf`), {
        slots: 1,
        contextTokens: 2048,
        args: ["--mmproj", join(models, `mmproj-${family}.gguf`), "--image-max-tokens", "512", "--no-warmup"],
      });
      const expected = await askLlamaServer(reference.url, medium);
      const ownTokens = own.choices[0]?.logprobs?.content ?? [];
      expect(ownTokens.map(({ token }) => token)).toEqual(
        expected.completion_probabilities.map(({ token }) => token),
      );
      const differences = ownTokens.map(({ logprob }, at) =>
        Math.abs(logprob - (expected.completion_probabilities[at]?.logprob ?? 0)),
      );
      expect(own.usage?.prompt_tokens).toBe(expected.tokens_evaluated);
      expect(Math.max(...differences)).toBeLessThan(0.05);
    });
});

/** One image and one sound through a whole server; the larger size has the rest (images.test.ts, sounds.test.ts). */
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { writeSeeingModel } from "../../kit/models/seeing-models.js";
import { fileServer } from "../../kit/server.js";
import { describeMedia, look, picture, withoutMedia } from "./media-server.js";

const shared = fileServer(async (finished) => {
  const models = temporaryFolder(finished);
  for (const family of ["qwen2vl", "voxtral"] as const) await writeSeeingModel(models, family);
  return { environment: { HEARTH_MODELS: models } };
});

/** Half a second of a tone, as a WAV file of 16 kHz. */
function tone(): Buffer {
  const samples = Int16Array.from({ length: 8_000 }, (_, at) => 8_000 * Math.sin(at / 6));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(16_000, 24);
  head.writeUInt32LE(32_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer)]);
}

describeMedia(`a model with a projector${withoutMedia}`, () => {
  it("reads an image, counts its tokens, and evaluates it once", async () => {
    const parts = ["hello ", await picture(200, 120), " world"];
    const [first, second] = [
      await look(shared(), "qwen2vl", parts, 4),
      await look(shared(), "qwen2vl", parts, 4),
    ];
    expect(first.usage?.prompt_tokens_details).toMatchObject({ image_tokens: 28 });
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBe((first.usage?.prompt_tokens ?? 0) - 1);
    expect(second.choices[0]?.message.content).toBe(first.choices[0]?.message.content);
  });

  it("reads a sound", async () => {
    const heard = await shared().client.chat.completions.create({
      model: "voxtral",
      messages: [
        {
          role: "user",
          content: [{ type: "input_audio", input_audio: { data: tone().toString("base64"), format: "wav" } }],
        },
      ],
      max_tokens: 2,
    });
    expect(heard.usage?.prompt_tokens_details?.audio_tokens).toBeGreaterThan(100);
  });
});

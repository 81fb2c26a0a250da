/** Images and sounds of a conversation, for models that read both, one of them, or neither. */
import { describe, expect, it } from "vitest";
import type { MessageSound } from "../../../src/core/prompt/sounds.js";
import type { Message } from "../../../src/core/generation.js";
import type { MessageImage } from "../../../src/core/images/images.js";
import type { MediaReading } from "../../../src/core/engine.js";
import { createCaptioning } from "../../../src/inference/prompt/captioning.js";
import { createMediaPreparation } from "../../../src/inference/prompt/media.js";
import { ember } from "../../kit/scripted/ember.js";

const never = new AbortController().signal;

/** Bytes of an image are its URL, and its description is the URL; a sound lasts as many seconds as its base64 has characters. */
function preparation() {
  const images = {
    fetcher: { fetch: async (url: string) => Buffer.from(url) },
    decoder: { decode: async (bytes: Uint8Array) => ({ width: 1, height: 1, rgb: bytes }) },
    imagesMax: 8,
  };
  const vision = {
    describe: async (_model: unknown, { rgb }: { readonly rgb: Uint8Array }) => ({
      text: Buffer.from(rgb).toString(),
      tokens: 1,
    }),
    residents: () => [],
    close: async () => undefined,
  };
  return createMediaPreparation({
    ...images,
    captioning: createCaptioning({ ...images, vision, visionModel: () => ember }),
    sounds: {
      decode: async (base64, { secondsMax }) =>
        base64.length > secondsMax
          ? null
          : {
              medium: { type: "sound", pcm: new Float32Array(1), digest: base64 },
              seconds: base64.length,
            },
      close: async () => undefined,
    },
    soundsMax: 4,
    audioSecondsMax: 10,
  });
}

const image = (at: number, url: string): MessageImage => ({ at, url, detail: "auto", param: url });
const sound = (at: number, imagesBefore: number, base64: string): MessageSound => ({
  at,
  imagesBefore,
  base64,
  format: "wav",
  param: base64,
});
const user = (content: string, images: MessageImage[], sounds: MessageSound[]): Message => ({
  role: "user",
  content,
  images,
  sounds,
});

const prepare = async (message: Message, reads: MediaReading | undefined) => {
  const { messages, imageTexts } = await preparation().prepare([message], reads, "team", never);
  const [prepared] = messages;
  return {
    content: prepared?.content,
    media: prepared?.media?.map(({ at, param }) => [at, param]),
    described: prepared === undefined ? undefined : imageTexts.get(prepared),
  };
};

describe("a message with images and sounds", () => {
  const mixed = user(
    "hello world",
    [image(0, "A"), image(6, "B"), image(6, "C")],
    [sound(0, 0, "x"), sound(6, 2, "y"), sound(11, 3, "z")],
  );

  it("has all of them in their order, for a model that reads both", async () => {
    expect(await prepare(mixed, { images: true, sampleRate: 16_000 })).toEqual({
      content: "hello world",
      media: [
        [0, "x"],
        [0, "A"],
        [6, "B"],
        [6, "y"],
        [6, "C"],
        [11, "z"],
      ],
      described: undefined,
    });
  });

  it("has its images described, and its sounds between the same texts, for a model that hears", async () => {
    const prepared = await prepare(mixed, { images: false, sampleRate: 16_000 });
    const places = [0, "[image: A]\nhello \n[image: B]".length, prepared.content?.length];
    expect(prepared).toEqual({
      content: "[image: A]\nhello \n[image: B]\n[image: C]\nworld",
      media: [
        [places[0], "x"],
        [places[1], "y"],
        [places[2], "z"],
      ],
      described: ["[image: A]", "[image: B]", "[image: C]"],
    });
  });

  it.each([undefined, { images: true, sampleRate: null }])(
    "is refused with the name of its first sound, for a model that does not hear",
    async (reads) => {
      await expect(prepare(mixed, reads)).rejects.toMatchObject({
        param: "x",
        message: "x: this model does not read sound",
      });
    },
  );

  it("is refused where its sounds last too long together", async () => {
    const long = user("", [], [sound(0, 0, "aaaaaa"), sound(0, 0, "bbbbbb")]);
    await expect(prepare(long, { images: true, sampleRate: 16_000 })).rejects.toMatchObject({
      param: "bbbbbb",
      message: "bbbbbb: the sounds of a request may last at most 10 s together",
    });
  });
});

describe("a conversation for a model that is not loaded", () => {
  const projector = { path: "/p", bytes: 1, modifiedTime: 1 };
  const early = (message: Message, reads?: { images: boolean; audio: boolean }) =>
    (async () =>
      preparation().prepareEarly(
        [message],
        { ...ember, load: reads && { projector: { ...projector, ...reads } } },
        "team",
        never,
      ))();
  const heard = user("", [], [sound(0, 0, "x")]);

  it("is prepared where the model reads text alone, and waits where it has a projector", async () => {
    expect((await early(user("hello", [], [])))?.messages).toMatchObject([{ content: "hello" }]);
    expect(await early(heard, { images: false, audio: true })).toBeNull();
    expect(await early(user("", [image(0, "A")], []), { images: true, audio: false })).toBeNull();
  });

  it("is refused where it has sound and the model has no projector for sound", async () => {
    await expect(early(heard)).rejects.toMatchObject({ param: "x" });
    await expect(early(heard, { images: true, audio: false })).rejects.toMatchObject({ param: "x" });
  });
});

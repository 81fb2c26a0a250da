/**
 * Images and sound in conversations, as the model of a run reads them: itself, by its projector, or as the descriptions of a vision model
 * (captioning.ts), which there are of images only. Fetching and decoding are behind ports.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { MessageSound, SoundDecoder } from "../../core/prompt/sounds.js";
import type { MediaReading } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { Message } from "../../core/generation.js";
import type { DecodedImage, ImageDecoder, ImageFetcher, MessageImage } from "../../core/images/images.js";
import type { Model } from "../../core/model.js";
import type { ImageMedium, MessageMedium, SoundMedium } from "../../core/prompt/media.js";
import { refuseTooMany, type Captioning, type PreparedConversation } from "./captioning.js";

interface MediaDeps {
  readonly captioning: Captioning;
  readonly fetcher: ImageFetcher;
  readonly decoder: ImageDecoder;
  readonly sounds: SoundDecoder;
  /** Images that one request may contain. */
  readonly imagesMax: number;
  /** Sounds that one request may contain. */
  readonly soundsMax: number;
  /** Seconds that they may last together. */
  readonly audioSecondsMax: number;
}

export type MediaPreparation = ReturnType<typeof createMediaPreparation>;

/** One conversation that is read. */
interface Reading {
  readonly reads: MediaReading;
  readonly teamId: string;
  readonly signal: AbortSignal;
  /** Seconds that further sounds may last. */
  secondsLeft: number;
}

/** Bytes that are hashed in one turn of the event loop: about a millisecond. */
const hashChunkBytes = 1024 * 1024;
/** An image of which little detail is asked for has no longer side. */
const lowDetailSideMax = 512;

/** Builds the preparation of conversations. */
export function createMediaPreparation(deps: MediaDeps) {
  const { captioning, imagesMax, soundsMax, audioSecondsMax } = deps;
  const prepare = (
    messages: readonly Message[],
    reads: MediaReading | undefined,
    teamId: string,
    signal: AbortSignal,
  ): PreparedConversation | Promise<PreparedConversation> => {
    const sounds = messages.flatMap((message) => message.sounds ?? []);
    const [sound] = sounds;
    if (sound !== undefined && typeof reads?.sampleRate !== "number") throw notRead(sound);
    refuseTooMany(sounds, soundsMax, "sounds");
    if (reads?.images !== true) {
      const described = captioning.caption(messages, teamId, signal);
      if (sound === undefined || reads === undefined) return described;
      return readMedia(deps, described, { reads, teamId, signal, secondsLeft: audioSecondsMax });
    }
    const images = messages.flatMap((message) => message.images ?? []);
    const unread = { messages, imageTexts: new Map() };
    if (images.length === 0 && sound === undefined) return unread;
    refuseTooMany(
      images.filter(({ optional }) => optional !== true),
      imagesMax,
    );
    return readMedia(deps, unread, { reads, teamId, signal, secondsLeft: audioSecondsMax });
  };
  return {
    /**
     * Reads the images and sounds of a conversation for a model; returns a conversation without any synchronously.
     * @param reads what the model reads itself; undefined: text alone
     * @throws HearthError `invalid_value` naming the part that cannot be fetched or decoded, or that nothing here can read;
     * `model_unavailable`, `overloaded`. @throws the signal's reason when it aborts.
     */
    prepare,
    /**
     * The same for a model that is not loaded, so that it may serve others meanwhile. @returns null when the model may read media itself:
     * they are prepared when it is loaded. @throws as `prepare` does, for sound also where the model is known not to read it
     */
    prepareEarly(
      messages: readonly Message[],
      { load }: Model,
      teamId: string,
      signal: AbortSignal,
    ): PreparedConversation | Promise<PreparedConversation> | null {
      const [sound] = messages.flatMap((message) => message.sounds ?? []);
      if (sound !== undefined && load?.projector?.audio !== true) throw notRead(sound);
      return load?.projector === undefined ? prepare(messages, undefined, teamId, signal) : null;
    },
  };
}

/** Reads the media of each message, one after another: each takes some megabytes more while it is decoded. */
async function readMedia(
  deps: MediaDeps,
  conversation: PreparedConversation | Promise<PreparedConversation>,
  reading: Reading,
): Promise<PreparedConversation> {
  const { messages, imageTexts } = await conversation;
  const texts = new Map(imageTexts);
  const read: Message[] = [];
  for (const message of messages) {
    const parts = listInOrder(message);
    const { images: _, sounds: __, ...rest } = message;
    const media: MessageMedium[] = [];
    for (const part of parts) {
      const medium =
        "url" in part ? await readImage(deps, part, reading) : await readSound(deps, part, reading);
      if (medium !== null) media.push({ at: part.at, medium, param: part.param });
    }
    const own = parts.length === 0 ? rest : { ...rest, media };
    const described = imageTexts.get(message);
    if (described !== undefined) texts.set(own, described);
    read.push(own);
  }
  return { messages: read, imageTexts: texts };
}

function listInOrder({ images = [], sounds = [] }: Message): readonly (MessageImage | MessageSound)[] {
  const before = (count: number) => sounds.filter(({ imagesBefore }) => imagesBefore === count);
  return [...images.flatMap((image, index) => [...before(index), image]), ...before(images.length)];
}

/** @returns null for an optional image that cannot be read */
async function readImage(
  { fetcher, decoder }: MediaDeps,
  { url, param, detail, optional }: MessageImage,
  { signal }: Reading,
): Promise<ImageMedium | null> {
  try {
    const bytes = await fetcher.fetch(url, param, signal);
    const sideMax = detail === "low" ? lowDetailSideMax : undefined;
    return await createMedium(await decoder.decode(bytes, param, signal, sideMax));
  } catch (thrown) {
    if (signal.aborted || optional !== true) throw thrown;
    return null;
  }
}

async function readSound(
  { sounds, audioSecondsMax }: MediaDeps,
  sound: MessageSound,
  reading: Reading,
): Promise<SoundMedium> {
  const { reads, teamId, signal, secondsLeft } = reading;
  const { base64, param } = sound;
  if (reads.sampleRate === null) throw notRead(sound);
  const terms = { sampleRate: reads.sampleRate, secondsMax: secondsLeft };
  const decoded = await sounds.decode(base64, terms, { param, teamId }, signal);
  if (decoded === null) {
    const message = `${param}: the sounds of a request may last at most ${audioSecondsMax} s together`;
    throw new HearthError("invalid_value", message, { param });
  }
  reading.secondsLeft -= decoded.seconds;
  return decoded.medium;
}

function notRead({ param }: MessageSound): HearthError {
  const message = `${param}: this model does not read sound`;
  return new HearthError("invalid_value", message, { param, code: "unsupported_parameter" });
}

/** Copies the pixels into memory that threads share, and hashes them in pieces, so that the event loop is not blocked. */
async function createMedium({ width, height, rgb }: DecodedImage): Promise<ImageMedium> {
  const shared = new Uint8Array(new SharedArrayBuffer(rgb.length));
  const hash = createHash("sha256").update(`${width}x${height} `);
  for (let from = 0; from < rgb.length; from += hashChunkBytes) {
    if (from > 0) await setImmediate();
    const piece = rgb.subarray(from, from + hashChunkBytes);
    shared.set(piece, from);
    hash.update(piece);
  }
  return { type: "image", width, height, rgb: shared, digest: hash.digest("hex") };
}

/**
 * Images in conversations, as the model of a run reads them: itself, by its projector, or as the descriptions of a vision model
 * (captioning.ts). Fetching and decoding are behind ports.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { MediaReading } from "../../core/engine.js";
import type { Message } from "../../core/generation.js";
import type { DecodedImage, ImageDecoder, ImageFetcher, MessageImage } from "../../core/images/images.js";
import type { ImageMedium, MessageMedium } from "../../core/prompt/media.js";
import { refuseTooMany, type Captioning, type PreparedConversation } from "./captioning.js";

interface MediaDeps {
  readonly captioning: Captioning;
  readonly fetcher: ImageFetcher;
  readonly decoder: ImageDecoder;
  /** Images that one request may contain. */
  readonly imagesMax: number;
}

export type MediaPreparation = ReturnType<typeof createMediaPreparation>;

/** Bytes that are hashed in one turn of the event loop: about a millisecond. */
const hashChunkBytes = 1024 * 1024;
/** An image of which little detail is asked for has no longer side. */
const lowDetailSideMax = 512;

/** Builds the preparation of conversations. */
export function createMediaPreparation({ captioning, fetcher, decoder, imagesMax }: MediaDeps) {
  const read = async (image: MessageImage, signal: AbortSignal): Promise<ImageMedium> => {
    const bytes = await fetcher.fetch(image.url, image.param, signal);
    const sideMax = image.detail === "low" ? lowDetailSideMax : undefined;
    return createMedium(await decoder.decode(bytes, image.param, signal, sideMax));
  };
  const readAll = async (message: Message, signal: AbortSignal): Promise<readonly MessageMedium[]> => {
    const media: MessageMedium[] = [];
    // One after another: each takes some megabytes more while it is decoded.
    for (const image of message.images ?? []) {
      const medium = await unlessOptional(image, signal, () => read(image, signal));
      if (medium !== null) media.push({ at: image.at, medium, param: image.param });
    }
    return media;
  };
  return {
    /**
     * Reads the images of a conversation for a model; returns a conversation without images synchronously.
     * @param reads what the model reads itself; undefined: text alone
     * @throws HearthError `invalid_value` naming the image that cannot be fetched or decoded, or that nothing here can read;
     * `model_unavailable`, `overloaded`. @throws the signal's reason when it aborts.
     */
    prepare(
      messages: readonly Message[],
      reads: MediaReading | undefined,
      teamId: string,
      signal: AbortSignal,
    ): PreparedConversation | Promise<PreparedConversation> {
      if (reads?.images !== true) return captioning.caption(messages, teamId, signal);
      const images = messages.flatMap((message) => message.images ?? []);
      if (images.length === 0) return { messages, imageTexts: new Map() };
      refuseTooMany(
        images.filter(({ optional }) => optional !== true),
        imagesMax,
      );
      return (async () => {
        const read: Message[] = [];
        for (const message of messages) {
          const { images: own = [], ...rest } = message;
          read.push(own.length === 0 ? rest : { ...rest, media: await readAll(message, signal) });
        }
        return { messages: read, imageTexts: new Map() };
      })();
    },
  };
}

/** Returns null for an optional image that cannot be read. */
async function unlessOptional<T>(
  { optional }: MessageImage,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    if (signal.aborted || optional !== true) throw thrown;
    return null;
  }
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

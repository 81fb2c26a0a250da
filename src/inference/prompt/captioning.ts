/**
 * Captioning: images in conversations, for models that only read text. Each image is replaced, at its position, by the description
 * that a vision model gives of it. This file owns the order of steps (fetch, look up, decode, describe), the limit on images of a
 * request, and the cache of descriptions, which is shared within one team only. Fetching, decoding and describing are behind ports.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { HearthError } from "../../core/errors.js";
import type { Message } from "../../core/generation.js";
import type { ImageDecoder, ImageFetcher, MessageImage } from "../../core/images/images.js";
import type { VisionEngine } from "../../core/images/vision.js";
import type { Model } from "../../core/model.js";
import { refuseUnusable } from "../usable-model.js";

export interface CaptioningDeps {
  readonly fetcher: ImageFetcher;
  readonly decoder: ImageDecoder;
  readonly vision: VisionEngine;
  /** Returns the model that describes images, which may be unusable; null when there is none. */
  readonly visionModel: () => Model | null;
  /** Images that one request may contain. */
  readonly imagesMax: number;
}

/** A conversation without images that were not read: of text only, or with media that the model reads. */
export interface PreparedConversation {
  readonly messages: readonly Message[];
  /** The texts that replaced the images of each message that had any. */
  readonly imageTexts: ReadonlyMap<Message, readonly string[]>;
}

export type Captioning = ReturnType<typeof createCaptioning>;

/** Limits of the cache of descriptions. */
const descriptionsMax = 10_000;
const descriptionCharsMax = 16_000_000;
/** Bytes that are hashed in one turn of the event loop: about a millisecond. */
const hashChunkBytes = 1024 * 1024;

/** Builds the captioning with an empty cache. */
export function createCaptioning(deps: CaptioningDeps) {
  const descriptions = new LRUCache<string, string>({
    max: descriptionsMax,
    maxSize: descriptionCharsMax,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  return {
    /**
     * Replaces the images of a conversation by descriptions; returns a conversation without images synchronously.
     * @throws HearthError `invalid_value` naming the image that cannot be fetched or decoded, or when there is no vision model;
     * `model_unavailable`, `overloaded`. @throws the signal's reason when it aborts.
     */
    caption(
      messages: readonly Message[],
      teamId: string,
      signal: AbortSignal,
    ): PreparedConversation | Promise<PreparedConversation> {
      const images = messages.flatMap((message) => message.images ?? []);
      if (images.length === 0) return { messages, imageTexts: new Map() };
      const required = images.filter(({ optional }) => optional !== true);
      refuseTooMany(required, deps.imagesMax);
      const [first] = required;
      const visionModel = deps.visionModel();
      if (first === undefined && (visionModel === null || visionModel.unusable !== null))
        return { messages: messages.map((message) => insertTexts(message, [])), imageTexts: new Map() };
      if (visionModel === null) throw noVisionModel(first?.param ?? "messages");
      refuseUnusable(visionModel);
      const optionalMax = deps.imagesMax - required.length;
      return captionImages({ deps, descriptions, visionModel, teamId, signal, optionalMax }, messages);
    },
  };
}

/** One image after another, so that a request never holds more than one decoded image. */
async function captionImages(
  context: CaptioningContext,
  messages: readonly Message[],
): Promise<PreparedConversation> {
  const imageTexts = new Map<Message, readonly string[]>();
  const captioned: Message[] = [];
  let optionals = 0;
  for (const message of messages) {
    const texts: string[] = [];
    for (const image of message.images ?? []) {
      if (image.optional !== true) texts.push(await captionImage(context, image));
      else texts.push((optionals += 1) > context.optionalMax ? "" : await captionIfPossible(context, image));
    }
    const textOnly = insertTexts(message, texts);
    if (texts.length > 0) imageTexts.set(textOnly, texts);
    captioned.push(textOnly);
  }
  return { messages: captioned, imageTexts };
}

interface CaptioningContext {
  readonly deps: CaptioningDeps;
  readonly descriptions: LRUCache<string, string>;
  readonly visionModel: Model;
  readonly teamId: string;
  readonly signal: AbortSignal;
  /** Images that are described only where that is possible, at most. */
  readonly optionalMax: number;
}

/** Returns the text that replaces an image; an empty one if it cannot be described. */
async function captionIfPossible(context: CaptioningContext, image: MessageImage): Promise<string> {
  try {
    return await captionImage(context, image);
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    return "";
  }
}

/** Returns the text that replaces an image. */
async function captionImage(
  context: CaptioningContext,
  { url, detail, param }: MessageImage,
): Promise<string> {
  const { deps, descriptions, visionModel, teamId, signal } = context;
  const bytes = await deps.fetcher.fetch(url, param, signal);
  const digest = await computeDigest(bytes);
  // `auto` equals `low`, so that both share a cache entry.
  const usedDetail = detail === "high" || detail === "original" ? "high" : "low";
  const key = JSON.stringify([teamId, digest, visionModel.fingerprint, usedDetail]);
  const cached = descriptions.get(key);
  if (cached !== undefined) return cached;
  const image = await deps.decoder.decode(bytes, param, signal);
  const { text } = await deps.vision.describe(visionModel, image, { detail: usedDetail }, signal);
  const caption = text === "" ? "[image]" : `[image: ${text}]`;
  descriptions.set(key, caption);
  return caption;
}

/** Hashes in chunks, so that the event loop is not blocked. */
async function computeDigest(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += hashChunkBytes) {
    if (from > 0) await setImmediate();
    hash.update(bytes.subarray(from, from + hashChunkBytes));
  }
  return hash.digest("hex");
}

/** Returns the message with its images replaced by texts, each on lines of its own; its sounds keep their places. */
function insertTexts({ images = [], sounds, ...message }: Message, texts: readonly string[]): Message {
  const { content } = message;
  const ends = [...images.map(({ at }) => at), content.length];
  /** How far each piece of the content has moved. */
  const shifts: number[] = [];
  let joined = "";
  for (const [index, end] of ends.entries()) {
    joined = joinOnOwnLine(joined, content.slice(ends[index - 1] ?? 0, end));
    shifts.push(joined.length - end);
    joined = joinOnOwnLine(joined, texts[index] ?? "");
  }
  const moved = sounds?.map((sound) => ({
    ...sound,
    at: sound.at + (shifts[sound.imagesBefore] ?? 0),
    imagesBefore: 0,
  }));
  return { ...message, content: joined, sounds: moved };
}

function joinOnOwnLine(text: string, part: string): string {
  const isSeparated = text === "" || part === "" || text.endsWith("\n") || part.startsWith("\n");
  return `${text}${isSeparated ? "" : "\n"}${part}`;
}

/** @throws HearthError that names the first image, or sound, beyond the limit of a request */
export function refuseTooMany(
  parts: readonly { readonly param: string }[],
  max: number,
  what: "images" | "sounds" = "images",
): void {
  const over = parts[max];
  if (over === undefined) return;
  const message = `${over.param}: a request may hold at most ${max} ${what}, this one holds ${parts.length}`;
  throw new HearthError("invalid_value", message, { param: over.param });
}

function noVisionModel(param: string): HearthError {
  const message = `${param}: images are not supported by this server, which has no vision model`;
  return new HearthError("invalid_value", message, { param, code: "unsupported_parameter" });
}

/**
 * Images in conversations, for models that only read: each is replaced by what a model that sees says of it, where it stands. It
 * owns the order of things (fetch, look it up, decode, describe), how many images a request may hold, and the memory of what was
 * described before, which is shared within one team only, as prompts are. How an image is fetched, read or seen is behind ports.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { HearthError } from "../../core/errors.js";
import type { Message } from "../../core/generation.js";
import type { ImageDecoder, ImageFetcher, MessageImage } from "../../core/images.js";
import type { VisionEngine } from "../../core/vision.js";
import type { Model } from "../../core/model.js";

export interface GroundDeps {
  readonly fetcher: ImageFetcher;
  readonly decoder: ImageDecoder;
  readonly vision: VisionEngine;
  /** The model that sees; null: there is none. */
  readonly seer: Model | null;
  /** Images that one request may hold. */
  readonly imagesMax: number;
}

/** A conversation in words alone. */
export interface Grounded {
  readonly messages: readonly Message[];
  /** What stands in the places of images, of those messages that had any. */
  readonly imageTexts: ReadonlyMap<Message, readonly string[]>;
}

export interface Grounding {
  /**
   * Puts words in the places of a conversation's images, in their order; one without images is there at once.
   * @throws HearthError `invalid_value` naming the image that cannot be had or read, or that there is nobody to see it;
   * `model_unavailable`, `overloaded`. @throws the signal's reason when it aborts.
   */
  ground(messages: readonly Message[], teamId: string, signal: AbortSignal): Grounded | Promise<Grounded>;
}

/** Descriptions that are remembered, and how long they may be together. */
const describedMax = 10_000;
const describedCharsMax = 16_000_000;
/** Bytes whose digest is made at once: about a millisecond. */
const digestedBytesMax = 1024 * 1024;

/** Builds it; nothing is remembered yet. */
export function createGrounding(deps: GroundDeps): Grounding {
  const described = new LRUCache<string, string>({
    max: describedMax,
    maxSize: describedCharsMax,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  return {
    ground(messages, teamId, signal) {
      const images = messages.flatMap((message) => message.images ?? []);
      const [first] = images;
      if (first === undefined) return { messages, imageTexts: new Map() };
      refuseTooMany(images, deps.imagesMax);
      const { seer } = deps;
      if (seer === null) throw nobodySees(first);
      return inWords({ deps, described, seer, teamId, signal }, messages);
    },
  };
}

/** One image after another, so that a request never holds more than one of them at a time. */
async function inWords(looking: Looking, messages: readonly Message[]): Promise<Grounded> {
  const imageTexts = new Map<Message, readonly string[]>();
  const grounded: Message[] = [];
  for (const message of messages) {
    const texts: string[] = [];
    for (const image of message.images ?? []) texts.push(await wordsFor(looking, image));
    const told = inPlaces(message, texts);
    if (texts.length > 0) imageTexts.set(told, texts);
    grounded.push(told);
  }
  return { messages: grounded, imageTexts };
}

interface Looking {
  readonly deps: GroundDeps;
  readonly described: LRUCache<string, string>;
  readonly seer: Model;
  readonly teamId: string;
  readonly signal: AbortSignal;
}

/** What stands in the place of an image. */
async function wordsFor(looking: Looking, { url, detail, param }: MessageImage): Promise<string> {
  const { deps, described, seer, teamId, signal } = looking;
  const bytes = await deps.fetcher.fetch(url, param, signal);
  const digest = await digestOf(bytes);
  // `auto` is `low`: what was described for one is there for the other.
  const closeness = detail === "high" ? "high" : "low";
  const key = JSON.stringify([teamId, digest, seer.fingerprint, closeness]);
  const known = described.get(key);
  if (known !== undefined) return known;
  const picture = await deps.decoder.decode(bytes, param, signal);
  const { text } = await deps.vision.describe(seer, picture, { detail: closeness }, signal);
  const words = text === "" ? "[image]" : `[image: ${text}]`;
  described.set(key, words);
  return words;
}

/** In slices: others get their turn between two. */
async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += digestedBytesMax) {
    if (from > 0) await setImmediate();
    hash.update(bytes.subarray(from, from + digestedBytesMax));
  }
  return hash.digest("hex");
}

/** A message with words in the places of its images, each apart from what stands around it by a line's end. */
function inPlaces({ images = [], ...message }: Message, texts: readonly string[]): Message {
  const { content } = message;
  const parts: string[] = [];
  let from = 0;
  for (const [index, { at }] of images.entries()) {
    parts.push(content.slice(from, at), texts[index] ?? "");
    from = at;
  }
  parts.push(content.slice(from));
  return { ...message, content: parts.reduce(onLinesOfTheirOwn, "") };
}

function onLinesOfTheirOwn(told: string, part: string): string {
  const isApart = told === "" || part === "" || told.endsWith("\n") || part.startsWith("\n");
  return `${told}${isApart ? "" : "\n"}${part}`;
}

function refuseTooMany(images: readonly MessageImage[], imagesMax: number): void {
  const over = images[imagesMax];
  if (over === undefined) return;
  const message = `${over.param}: a request may hold at most ${imagesMax} images, this one holds ${images.length}`;
  throw new HearthError("invalid_value", message, { param: over.param });
}

function nobodySees({ param }: MessageImage): HearthError {
  const message = `${param}: images are not supported by this server, which has no model that sees`;
  return new HearthError("invalid_value", message, { param, code: "unsupported_parameter" });
}

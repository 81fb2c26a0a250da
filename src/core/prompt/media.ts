/** Images and sound that a model reads itself, in the messages of a conversation and in its prompt. */

/** An image: upright, without transparency. */
export interface ImageMedium {
  readonly type: "image";
  readonly width: number;
  readonly height: number;
  /** 8 bits each for red, green and blue, row by row from the top; shared between threads. */
  readonly rgb: Uint8Array;
  /** Hex digest of the pixels and the size: equal media have equal digests. */
  readonly digest: string;
}

/** Sound: one channel, from -1 to 1. */
export interface SoundMedium {
  readonly type: "sound";
  /** At the rate that the model reads; shared between threads. */
  readonly pcm: Float32Array;
  readonly digest: string;
}

export type Medium = ImageMedium | SoundMedium;

/** A medium in a message. */
export interface MessageMedium {
  /** Position: before this UTF-16 unit of the message's content. Media are ordered by position. */
  readonly at: number;
  readonly medium: Medium;
  /** The request's field that holds it, for errors. */
  readonly param: string;
}

/**
 * A part of a medium in a prompt: a tile of an image, or a piece of a sound. Placeholders stand for it among the tokens, as many as it has
 * positions, made of its digest: prompts that have the same tokens have the same media.
 */
export interface PromptMedium {
  /** Index of its first placeholder. */
  readonly start: number;
  readonly positions: number;
  /** Cells of the KV cache that it takes, and tokens that it counts as: more than positions where these have several dimensions. */
  readonly cells: number;
  /** Whether it is evaluated in one batch. */
  readonly isWhole: boolean;
  /** Index of its medium. */
  readonly medium: number;
  /** Its number among the chunks that its medium is laid out in. */
  readonly chunk: number;
}

/** What the placeholders of a prompt stand for. */
export interface PromptMedia {
  readonly media: readonly Medium[];
  /** In order of the prompt. */
  readonly parts: readonly PromptMedium[];
}

interface MeasuredPrompt {
  readonly tokens: { readonly length: number };
  readonly media?: PromptMedia | undefined;
}

/** Returns the tokens of a prompt, or of its first `positions` positions: text tokens, and the cells of its media. */
export function countPromptTokens({ tokens, media }: MeasuredPrompt, positions = tokens.length): number {
  const parts = media?.parts.filter(({ start, positions: own }) => start + own <= positions) ?? [];
  return parts.reduce((sum, part) => sum + part.cells - part.positions, positions);
}

/** Returns the tokens of the media of one kind in a prompt. */
export function countMediaTokens({ media }: MeasuredPrompt, type: Medium["type"]): number {
  if (media === undefined) return 0;
  const parts = media.parts.filter(({ medium }) => media.media[medium]?.type === type);
  return parts.reduce((sum, { cells }) => sum + cells, 0);
}

/** Returns the smallest value from which placeholders count up: no vocabulary has so many tokens. */
export const placeholderMin = 0x8000_0000;

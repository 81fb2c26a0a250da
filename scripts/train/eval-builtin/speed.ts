/** Measures the speed of each built-in model alone: one request after another, with no other load. */
import type OpenAI from "openai";
import { askAll, type Outcome } from "./ask.js";
import { captionMsMax, chatTokensPerSecondMin, imageSecondsMax } from "./bars.js";
import { openEye } from "./eye.js";
import { heldOutScenes } from "../../../test/kit/pictures/held-out.js";
import { render } from "../../../test/kit/pictures/render.js";
import { captionOf } from "../../../test/kit/pictures/sentences.js";

export interface Speed {
  readonly what: string;
  readonly value: number;
  readonly bar: number;
  readonly holds: boolean;
}

const answersAsked = 20;
const captionsMade = 20;
const imagesDrawn = 8;
const side = 128;
const terms = { freeColors: false, largeMax: 0.28 };

/**
 * Measures tokens per second of the longest answers, requested again: the time to the end of the answer,
 * including its prompt.
 */
export async function chatSpeed(client: OpenAI, model: string, outcomes: readonly Outcome[]): Promise<Speed> {
  const longest = outcomes.toSorted((a, b) => b.tokens - a.tokens).slice(0, answersAsked);
  const items = longest.map(({ item }) => item);
  const again = await askAll(client, model, items, 1, () => undefined);
  const tokens = again.reduce((sum, outcome) => sum + outcome.tokens, 0);
  const seconds = again.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const value = seconds === 0 ? 0 : Math.round(tokens / seconds);
  const bar = chatTokensPerSecondMin;
  return { what: "tokens a second of a single answer", value, bar, holds: value >= bar };
}

/** Measures the median time of a caption. */
export async function captionSpeed(): Promise<Speed> {
  const pictures = heldOutScenes(captionsMade + 1, 6, terms).map((scene) => render(scene, side));
  const eye = await openEye();
  try {
    const ms = await measureTimes(pictures, (picture) => eye.describe(picture));
    const value = Math.round(median(ms) * 10) / 10;
    return { what: "ms a caption", value, bar: captionMsMax, holds: value <= captionMsMax };
  } finally {
    await eye.close();
  }
}

/** Measures the median time of an image; null without an image model. */
export async function imageSpeed(client: OpenAI): Promise<Speed | null> {
  const listed = await client.get("/image-generation-models");
  const model = (listed as { readonly models: readonly { readonly id: string }[] }).models[0]?.id;
  if (model === undefined) return null;
  const prompts = heldOutScenes(imagesDrawn + 1, 7, terms).map(captionOf);
  const ms = await measureTimes(prompts, (prompt) => client.images.generate({ model, prompt }));
  const value = Math.round(median(ms) / 10) / 100;
  return { what: "s an image", value, bar: imageSecondsMax, holds: value <= imageSecondsMax };
}

/** Returns the milliseconds of each call except the first, which includes loading the model. */
async function measureTimes<T>(
  things: readonly T[],
  act: (thing: T) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const thing of things) {
    const began = performance.now();
    await act(thing);
    times.push(performance.now() - began);
  }
  return times.slice(1);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

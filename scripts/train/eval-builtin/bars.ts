/**
 * The targets of the built-in models: the share of a skill's items in percent, and speeds on two processor
 * cores.
 */
export const bars: Readonly<Record<string, number>> = {
  greet: 99,
  recall: 95,
  arithmetic: 95,
  words: 95,
  facts: 97,
  passage: 90,
  image: 95,
  json: 90,
  tools: 93,
  thinking: 99,
  unknown: 90,
  "see-exact": 95,
  read: 95,
  draw: 92,
  "draw-loose": 92,
  loop: 85,
};

/** Sampled tokens per second of a single answer. */
export const chatTokensPerSecondMin = 200;
export const captionMsMax = 50;
export const imageSecondsMax = 1.5;

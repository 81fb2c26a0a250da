/** How hard to think before answering, in the words that OpenAI's and xAI's routes share. Pure. */
import { z } from "zod";
import type { ReasoningEffort } from "../core/generation.js";

export const effortWord = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** Reads the word; without one it is the model's own way. */
export function parseEffort(word: z.infer<typeof effortWord> | null | undefined): ReasoningEffort {
  return word == null ? "default" : efforts[word];
}

const efforts: Readonly<Record<z.infer<typeof effortWord>, ReasoningEffort>> = {
  none: "none",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Fields that the requests of Ollama's interface share, and how they are read. Pure. */
import { z } from "zod";
import type { AnswerFormat } from "../../core/generation.js";
import { reasoningEffortField } from "../generation/effort.js";
import { chooseFormat, type StatedFormat } from "../generation/format-fields.js";
import { invalidValue } from "../field-error.js";
import { jsonObjectField, boundedArray, modelIdField, optionalInteger } from "../request-fields.js";
import { optionsField, sharedFields, type SharedFields } from "./options.js";

const durationCharsMax = 64;
const formatCharsMax = 16;
const imagesMax = 1_000;

const keepAlive = z
  .union([
    z.number(),
    z.string().max(durationCharsMax, `must be at most ${durationCharsMax} characters long`),
  ])
  .nullish()
  .describe(
    "How long the model stays in memory unused: seconds, or a text such as `5m`, at most 31 days; 0 unloads it, and a negative " +
      "time is the longest. It is unloaded earlier if its memory is needed.",
  );

export const modelFields = { model: modelIdField, keep_alive: keepAlive };

const streamField = z.boolean().nullish().meta({ default: true, description: "Whether lines are streamed." });

/** Fields of a request that generates text. */
export const generationFields = {
  ...sharedFields,
  options: optionsField,
  stream: streamField,
  format: z
    .union([z.string().max(formatCharsMax, "must be `json` or a JSON Schema"), jsonObjectField])
    .nullish()
    .describe("`json` or a JSON Schema, enforced by a grammar."),
  think: z
    .union([z.boolean(), reasoningEffortField])
    .nullish()
    .describe("Whether, or how much, a reasoning model reasons. Default: decided by the model."),
  truncate: z
    .boolean()
    .nullish()
    .describe(
      "With true, the oldest messages of a conversation that does not fit are dropped; otherwise it is refused.",
    ),
  logprobs: z.boolean().nullish().describe("Whether log probabilities are returned."),
  top_logprobs: optionalInteger(0, 20).describe(
    "How many of the most likely tokens are returned; requires `logprobs`.",
  ),
};

export const imagesField = boundedArray(z.string(), imagesMax)
  .nullish()
  .describe("Base64 of PNG, JPEG, WebP or GIF files.");

/** Where a schema of the answer is in a request. */
const formatPath = "format";

/** Reads the format of the answer's text. @throws HearthError `invalid_value` */
export function parseFormat(
  format: string | Readonly<Record<string, unknown>> | null | undefined,
  { fields, toPath }: SharedFields,
): StatedFormat {
  return chooseFormat({ format: readFormat(format), formatPath }, formatPath, fields, toPath);
}

function readFormat(format: string | Readonly<Record<string, unknown>> | null | undefined): AnswerFormat {
  if (format == null || format === "") return { type: "text" };
  if (format === "json") return { type: "json-object" };
  if (typeof format === "string") throw invalidValue(formatPath, "must be 'json' or a JSON Schema");
  return { type: "json-schema", schema: format };
}

/** Reads how many alternatives are reported for each token; null = no log probabilities. @throws HearthError `invalid_value` */
export function parseLogprobs({
  logprobs,
  top_logprobs: top,
}: {
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
}): number | null {
  if (logprobs === true) return top ?? 0;
  if ((top ?? 0) > 0) throw invalidValue("top_logprobs", "is only allowed together with logprobs: true");
  return null;
}

/** Milliseconds of the units of Go's durations. */
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/** A negative time, and a longer one, count as this one: as the setting `forever` does. */
const keepAliveMsMax = 31 * 24 * 3_600_000;

/**
 * Reads how long a model stays in memory unused.
 * @returns milliseconds, at most 31 days; undefined if it is not stated.
 * @throws HearthError `invalid_value`
 */
export function parseKeepAlive(value: number | string | null | undefined): number | undefined {
  if (value == null || value === "") return undefined;
  const ms = typeof value === "number" ? value * 1000 : durationMs(value.trim());
  if (ms === null)
    throw invalidValue("keep_alive", "must be seconds, or a time such as '5m', '1h30m' or '-1'");
  return ms < 0 ? keepAliveMsMax : Math.min(keepAliveMsMax, ms);
}

/** Returns the milliseconds of a number of seconds or a duration as Go writes it; null for another text. */
function durationMs(text: string): number | null {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const unsigned = text.replace(/^[+-]/, "");
  let ms = 0;
  durationPart.lastIndex = 0;
  let end = 0;
  for (let part = durationPart.exec(unsigned); part !== null; part = durationPart.exec(unsigned)) {
    ms += Number(part[1]) * (unitMs[part[2] ?? ""] ?? 0);
    end = durationPart.lastIndex;
  }
  if (end === 0 || end < unsigned.length) return null;
  return text.startsWith("-") ? -ms : ms;
}

/** Returns the URL of an image, which requests contain as base64, some with the beginning of a `data:` URL. */
export function imageUrl(image: string): string {
  return /^data:/i.test(image) ? image : `data:image/png;base64,${image}`;
}

/** Sound in the content of messages, as OpenAI's chat completions and responses have it. Pure. */
import { z } from "zod";
import { soundFormats } from "../core/prompt/sounds.js";
import type { MessageContentPart } from "./message-content.js";

export const soundPart = z.object({
  type: z.literal("input_audio"),
  input_audio: z.object({
    data: z.string().describe("The file in base64."),
    format: z.enum(soundFormats).describe("What the file is decides how it is read."),
  }),
});

/** @param param the field of the part */
export function readSoundPart(
  { input_audio: { data, format } }: z.infer<typeof soundPart>,
  param: string,
): MessageContentPart {
  return { base64: data, format, param: `${param}.input_audio` };
}

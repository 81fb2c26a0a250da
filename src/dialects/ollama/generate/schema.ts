/** Schema of the request of POST /api/generate. `null` means absent for every optional field; other fields are ignored. */
import { z } from "zod";
import { optionalInteger } from "../../request-fields.js";
import { generationFields, imagesField, modelFields } from "../fields.js";

const sideMax = 65_536;

export const ollamaGenerateRequestSchema = z
  .object({
    ...modelFields,
    prompt: z
      .string()
      .nullish()
      .describe("The user's message; none: the model is loaded, or with `keep_alive: 0` unloaded."),
    suffix: z
      .string()
      .nullish()
      .describe("Text after the gap that the model fills, if the model supports it."),
    system: z.string().nullish().describe("The system message."),
    images: imagesField,
    raw: z
      .boolean()
      .nullish()
      .describe("Continues the prompt without a chat template; its control tokens are interpreted."),
    template: z.string().nullish().describe("Not supported: rejected."),
    width: optionalInteger(0, sideMax).describe("Width of the image of an image model, in pixels."),
    height: optionalInteger(0, sideMax).describe("Its height."),
    context: z.unknown().optional().describe("Not supported: rejected. `/api/chat` takes a conversation."),
    ...generationFields,
  })
  .meta({ id: "OllamaGenerateRequest" });

export type OllamaGenerateBody = z.infer<typeof ollamaGenerateRequestSchema>;

/** Schema of the request of POST /api/chat. `null` means absent for every optional field; other fields are ignored. */
import { z } from "zod";
import { generationFields, imagesField, modelFields } from "../fields.js";
import { argumentsField, toResult } from "../../call-fields.js";
import { prefixField } from "../../generation/continuation.js";
import { jsonObjectField, boundedArray, functionNameField } from "../../request-fields.js";

const messagesMax = 10_000;
const toolsMax = 1_000;
const callsMax = 1_000;

const toolCall = z.object({
  id: z.string().nullish(),
  function: z.object({
    name: z.string(),
    arguments: argumentsField,
  }),
});

const message = z
  .preprocess(
    withResultText,
    z.object({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.string().nullish(),
      prefix: prefixField,
      thinking: z.string().nullish().describe("The model's reasoning before this answer."),
      images: imagesField,
      tool_calls: boundedArray(toolCall, callsMax).nullish(),
      tool_name: z.string().nullish().describe("Name of the tool that this is the result of."),
      name: z.string().nullish().describe("The older form of `tool_name`."),
      tool_call_id: z.string().nullish().describe("Id of the call that this is the result of."),
    }),
  )
  .meta({ id: "OllamaMessage", description: "One message of a conversation." });

const tool = z.object({
  type: z.literal("function").nullish(),
  function: z.object({
    name: functionNameField,
    description: z.string().nullish(),
    parameters: jsonObjectField.nullish().describe("JSON Schema of the arguments."),
  }),
});

export const ollamaChatRequestSchema = z
  .object({
    ...modelFields,
    messages: boundedArray(message, messagesMax)
      .nullish()
      .describe("The conversation so far; none: the model is loaded, or with `keep_alive: 0` unloaded."),
    tools: boundedArray(tool, toolsMax).nullish().describe("Tools that the model may call."),
    ...generationFields,
  })
  .meta({ id: "OllamaChatRequest" });

/** A result is a text here; clients also send the JSON of a tool, or parts of a text. */
function withResultText(value: unknown): unknown {
  const isResult = typeof value === "object" && value !== null && "role" in value && value.role === "tool";
  return isResult && "content" in value ? { ...value, content: toResultText(value.content) } : value;
}

export type OllamaChatBody = z.infer<typeof ollamaChatRequestSchema>;

/** Returns a result as a text; parts of a text are joined. */
function toResultText(given: unknown): unknown {
  const result = toResult(given);
  if (!Array.isArray(result)) return result;
  const texts = textPartsField.safeParse(result);
  return texts.success ? texts.data.map(({ text }) => text).join("") : JSON.stringify(given);
}

const textPartsField = z.array(z.object({ type: z.literal("text"), text: z.string() }));

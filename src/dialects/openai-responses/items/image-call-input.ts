/** Converts a call of image generation in a conversation to a function's call and its result, as the model knows them. Pure. */
import type { Message, ToolCall } from "../../../core/generation.js";
import { drawnText, resultImage } from "../../../core/tools/server-call.js";
import { wellFormed } from "../../well-formed.js";
import { imageGenerationTool } from "../tools/server-tools.js";
import type { ImageCallInput } from "./input-item-schema.js";

const notDrawnText = "The image was not drawn.";

/** An image that the server did not draw has the text of its call only if the item has it. */
export function imageCallTurn({
  id,
  result: base64,
  revised_prompt: prompt,
  output_format: format,
}: ImageCallInput): { readonly call: ToolCall; readonly result: Message } {
  const callId = wellFormed(id ?? "");
  const isDrawn = base64 != null && base64 !== "";
  const content = isDrawn ? drawnText : notDrawnText;
  return {
    call: {
      id: callId,
      name: imageGenerationTool.name,
      arguments: JSON.stringify({ prompt: wellFormed(prompt ?? "") }),
    },
    result: {
      role: "tool",
      content,
      toolCallId: callId,
      ...(isDrawn ? { images: [resultImage({ base64, format: format ?? "png" }, content)] } : {}),
    },
  };
}

/**
 * Rejects fields and items of a responses request that are not supported and cannot be ignored, because they would change the
 * meaning of the answer.
 */
import { HearthError } from "../../core/errors.js";
import { decodeText } from "../text-file.js";
import { invalidValue, unsupported } from "../field-error.js";
import { imageDetail, type InputItem, type ItemContent } from "./items/input-item-schema.js";
import type { ResponsesRequestBody } from "./schema.js";
import { decodeOpaque } from "./items/opaque-text.js";

/** @throws HearthError `invalid_value` that names the first unsupported field. */
export function rejectUnsupportedResponseFields(fields: ResponsesRequestBody): void {
  const { search_parameters: search } = fields;
  if (fields.prompt != null) throw unsupported("prompt", "stored prompts are");
  if (search?.mode === "on") throw unsupported("search_parameters", "live search is");
}

/**
 * @param field the field that the items are in.
 * @throws HearthError `invalid_value` that names the first unsupported item or content part.
 */
export function rejectUnsupportedItems(items: readonly InputItem[], field = "input"): void {
  for (const [index, item] of items.entries()) {
    const param = `${field}.${index}`;
    if (item.type === "message")
      rejectUnsupportedParts(item.content, `${param}.content`, item.role === "assistant");
    else if (item.type === "function_call_output" || item.type === "custom_tool_call_output")
      rejectUnsupportedParts(item.output, `${param}.output`, false);
    else if (item.type === "compaction" && decodeOpaque(item.encrypted_content) === null)
      throw invalidValue(`${param}.encrypted_content`, "was not made by this server");
  }
}

function rejectUnsupportedParts(content: ItemContent, param: string, isAssistant: boolean): void {
  if (typeof content === "string") return;
  for (const [index, part] of content.entries()) {
    const partParam = `${param}.${index}`;
    if (
      part.type === "input_video" ||
      (part.type === "input_file" && (isAssistant || part.file_data == null)) ||
      (isAssistant && (part.type === "input_image" || part.type === "input_audio"))
    )
      throw unsupported(partParam, `content parts of the type '${part.type}' are`);
    if (part.type === "input_file") decodeText(part.file_data ?? "", `${partParam}.file_data`);
    if (part.type !== "input_image") continue;
    if (part.image_url == null && part.file_id != null)
      throw unsupported(`${partParam}.file_id`, "images that were uploaded are");
    if (part.image_url == null)
      throw new HearthError("invalid_field", `${partParam}.image_url: is required`, {
        param: `${partParam}.image_url`,
      });
    if (!imageDetail.safeParse(part.detail).success)
      throw invalidValue(`${partParam}.detail`, "must be one of auto, low, high, original");
  }
}

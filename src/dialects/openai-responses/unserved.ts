/**
 * What a responses request may ask for that is read but not served. Ignoring it would change the meaning of the answer, so it
 * is refused by name; a line leaves this file when its machinery arrives.
 */
import { invalidValue, unsupported } from "../field-error.js";
import { imageDetail, type InputItem, type ItemContent } from "./items/item-schema.js";
import type { ResponsesRequestBody } from "./schema.js";
import { unseal } from "./items/sealed.js";

/** @throws HearthError `invalid_value` naming the first such field. */
export function refuseUnserved(fields: ResponsesRequestBody): void {
  const { context_management: management, search_parameters: search } = fields;
  if (fields.prompt != null) throw unsupported("prompt", "stored prompts are");
  if (fields.conversation != null) throw unsupported("conversation", "stored conversations are");
  if (management != null && !(Array.isArray(management) && management.length === 0))
    throw unsupported("context_management", "context management is");
  if (search?.mode === "on") throw unsupported("search_parameters", "live search is");
}

/** @throws HearthError `invalid_value` naming the first item or part that no model here can be told. */
export function refuseUnservedItems(items: readonly InputItem[]): void {
  for (const [index, item] of items.entries()) {
    const param = `input.${index}`;
    if (item.type === "message") refuseParts(item.content, `${param}.content`, item.role === "assistant");
    else if (item.type === "function_call_output") refuseParts(item.output, `${param}.output`, false);
    else if (item.type === "compaction" && unseal(item.encrypted_content) === null)
      throw invalidValue(`${param}.encrypted_content`, "was not made by this server");
  }
}

function refuseParts(content: ItemContent, param: string, isAnswer: boolean): void {
  if (typeof content === "string") return;
  for (const [index, part] of content.entries()) {
    const at = `${param}.${index}`;
    if (
      part.type === "input_file" ||
      part.type === "input_audio" ||
      (isAnswer && part.type === "input_image")
    )
      throw unsupported(at, `content parts of the type '${part.type}' are`);
    if (part.type !== "input_image") continue;
    if (part.image_url == null) throw unsupported(`${at}.file_id`, "images that were uploaded are");
    if (!imageDetail.safeParse(part.detail).success)
      throw invalidValue(`${at}.detail`, "must be one of auto, low, high");
  }
}

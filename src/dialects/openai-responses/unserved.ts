/**
 * What a responses request may ask for that is read but not served. Ignoring it would change the meaning of the answer, so it
 * is refused by name; a line leaves this file when its machinery arrives.
 */
import { invalidValue, unsupported } from "../field-error.js";
import type { InputItem, ItemContent } from "./item-schema.js";
import type { ResponsesRequestBody } from "./schema.js";
import { unseal } from "./sealed.js";

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
    if (item.type === "message") refuseParts(item.content, `${param}.content`);
    else if (item.type === "function_call_output") refuseParts(item.output, `${param}.output`);
    else if (item.type === "compaction" && unseal(item.encrypted_content) === null)
      throw invalidValue(`${param}.encrypted_content`, "was not made by this server");
  }
}

function refuseParts(content: ItemContent, param: string): void {
  if (typeof content === "string") return;
  for (const [index, { type }] of content.entries())
    if (type === "input_image" || type === "input_file" || type === "input_audio")
      throw unsupported(`${param}.${index}`, `content parts of the type '${type}' are`);
}

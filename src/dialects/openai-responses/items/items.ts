/** Converts items to the form in which they are stored and listed: with an id and all default fields. Pure. */
import { HearthError } from "../../../core/errors.js";
import { inputItemId, type ItemKind } from "./ids.js";
import {
  inputItemSchema,
  type InputItem,
  type ItemContent,
  type ItemPart,
  type MessageItem,
} from "./input-item-schema.js";

export type IdentifiedItem = InputItem & { readonly id: string };

/** Item ids that a client may choose; they are used in URLs. */
const validClientId = /^[!-~]{1,200}$/;

/** Parses a stored input or output item. @throws HearthError `internal` if the JSON is not an item. */
export function readStoredItem(json: string): InputItem {
  const read = inputItemSchema.safeParse(JSON.parse(json));
  if (read.success) return read.data;
  throw new HearthError("internal", "An internal error occurred.", { cause: read.error });
}

/**
 * Returns the items of a request as they are stored. Ids of the client are kept if they are valid and unique; other items get
 * an id that is derived from the response's id and the position.
 */
export function withIds(items: readonly InputItem[], responseId: string): readonly IdentifiedItem[] {
  const usedIds = new Set<string>();
  return items.map((item, position) => {
    const clientId = item.id ?? "";
    const keepsId = validClientId.test(clientId) && !usedIds.has(clientId);
    const id = keepsId ? clientId : inputItemId(findKind(item), responseId, position);
    usedIds.add(id);
    return completeItem(item, id);
  });
}

/** Returns the ids of the items that a request references. */
export function listReferences(items: readonly InputItem[]): readonly string[] {
  return items.flatMap((item) => (item.type === "item_reference" ? [item.id] : []));
}

/**
 * Replaces references by the items that they refer to.
 * @param field the field that the items are in.
 * @throws HearthError `invalid_value` that names the first reference that was not found.
 */
export function resolveReferences(
  items: readonly InputItem[],
  found: ReadonlyMap<string, InputItem>,
  field = "input",
): readonly InputItem[] {
  return items.map((item, index) => {
    if (item.type !== "item_reference") return item;
    const referenced = found.get(item.id);
    if (referenced !== undefined) return referenced;
    throw new HearthError("invalid_value", `Item with id '${item.id.slice(0, 200)}' not found.`, {
      param: `${field}.${index}.id`,
    });
  });
}

function findKind({ type }: InputItem): ItemKind {
  switch (type) {
    case "message":
      return "msg";
    case "reasoning":
      return "rs";
    case "function_call":
      return "fc";
    case "function_call_output":
    case "custom_tool_call_output":
      return "fco";
    case "custom_tool_call":
      return "ctc";
    case "compaction":
      return "cmp";
    case "image_generation_call":
      return "ig";
    default:
      return "item";
  }
}

function completeItem(item: InputItem, id: string): IdentifiedItem {
  switch (item.type) {
    case "message": {
      const { type, role, status, content, name, phase } = item;
      return {
        id,
        type,
        role,
        status: status ?? "completed",
        content: toParts(content, role),
        name: name ?? undefined,
        phase: phase ?? undefined,
      };
    }
    case "function_call":
    case "function_call_output":
      return { ...item, id, status: item.status ?? "completed" };
    case "reasoning": {
      const { type, status, summary, content, encrypted_content: encrypted } = item;
      return {
        id,
        type,
        status: status ?? "completed",
        summary: summary ?? [],
        content: content ?? undefined,
        encrypted_content: encrypted ?? undefined,
      };
    }
    default:
      return { ...item, id };
  }
}

function toParts(content: ItemContent, role: MessageItem["role"]): ItemPart[] {
  if (typeof content !== "string") return content.map(completePart);
  return [
    role === "assistant"
      ? completePart({ type: "output_text", text: content })
      : { type: "input_text", text: content },
  ];
}

function completePart(part: ItemPart): ItemPart {
  if (part.type === "input_image") return { ...part, detail: part.detail ?? "auto" };
  if (part.type !== "output_text") return part;
  return { ...part, annotations: part.annotations ?? [], logprobs: part.logprobs ?? [] };
}

/** Items as they are stored and listed: each with an id of its own, and whole even where the client wrote the short form. Pure. */
import { HearthError } from "../../../core/errors.js";
import { inputItemId, type ItemKind } from "./ids.js";
import {
  inputItemSchema,
  type InputItem,
  type ItemContent,
  type ItemPart,
  type MessageItem,
} from "./item-schema.js";

export type IdentifiedItem = InputItem & { readonly id: string };

/** What a client may call its items: fit for a URL. */
const sensibleId = /^[!-~]{1,200}$/;

/** An input or output item from the JSON text it was stored as. @throws HearthError `internal` when it is none. */
export function readStoredItem(json: string): InputItem {
  const read = inputItemSchema.safeParse(JSON.parse(json));
  if (read.success) return read.data;
  throw new HearthError("internal", "An internal error occurred.", { cause: read.error });
}

/**
 * The items of a request as they are stored. A client's own ids are kept when they are sensible and the first of their name;
 * the others follow from the response's id and the place.
 */
export function withIds(items: readonly InputItem[], responseId: string): readonly IdentifiedItem[] {
  const taken = new Set<string>();
  return items.map((item, place) => {
    const given = item.id ?? "";
    const keeps = sensibleId.test(given) && !taken.has(given);
    const id = keeps ? given : inputItemId(kindOf(item), responseId, place);
    taken.add(id);
    return whole(item, id);
  });
}

/** The ids of items that a request only refers to. */
export function referencesOf(items: readonly InputItem[]): readonly string[] {
  return items.flatMap((item) => (item.type === "item_reference" ? [item.id] : []));
}

/**
 * The items with those in place that were only referred to.
 * @throws HearthError `invalid_value` naming the first reference that was not found.
 */
export function resolveReferences(
  items: readonly InputItem[],
  found: ReadonlyMap<string, InputItem>,
): readonly InputItem[] {
  return items.map((item, index) => {
    if (item.type !== "item_reference") return item;
    const named = found.get(item.id);
    if (named !== undefined) return named;
    throw new HearthError("invalid_value", `Item with id '${item.id.slice(0, 200)}' not found.`, {
      param: `input.${index}.id`,
    });
  });
}

function kindOf({ type }: InputItem): ItemKind {
  switch (type) {
    case "message":
      return "msg";
    case "reasoning":
      return "rs";
    case "function_call":
      return "fc";
    case "function_call_output":
      return "fco";
    case "compaction":
      return "cmp";
    default:
      return "item";
  }
}

function whole(item: InputItem, id: string): IdentifiedItem {
  switch (item.type) {
    case "message": {
      const { type, role, status, content, name, phase } = item;
      return {
        id,
        type,
        role,
        status: status ?? "completed",
        content: partsOf(content, role),
        ...(name == null ? {} : { name }),
        ...(phase == null ? {} : { phase }),
      };
    }
    case "function_call":
    case "function_call_output":
      return { ...item, id, status: item.status ?? "completed" };
    case "reasoning": {
      const { type, status, summary, content, encrypted_content: sealed } = item;
      return {
        id,
        type,
        status: status ?? "completed",
        summary: summary ?? [],
        ...(content == null ? {} : { content }),
        ...(sealed == null ? {} : { encrypted_content: sealed }),
      };
    }
    default:
      return { ...item, id };
  }
}

function partsOf(content: ItemContent, role: MessageItem["role"]): ItemPart[] {
  if (typeof content !== "string") return content.map(wholePart);
  return [
    role === "assistant"
      ? wholePart({ type: "output_text", text: content })
      : { type: "input_text", text: content },
  ];
}

function wholePart(part: ItemPart): ItemPart {
  if (part.type === "input_image") return { ...part, detail: part.detail ?? "auto" };
  if (part.type !== "output_text") return part;
  return { ...part, annotations: part.annotations ?? [], logprobs: part.logprobs ?? [] };
}

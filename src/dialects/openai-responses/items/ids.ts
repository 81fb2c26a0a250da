/** Ids of items, made of their response's id and their place in it, so that they are the same whenever they are told. Pure. */

export type ItemKind = "msg" | "rs" | "fc" | "fco" | "cmp" | "item";

/** The id of an output item. @param responseId such as `resp_` and 32 hex digits. */
export function outputItemId(kind: ItemKind, responseId: string, place: number): string {
  return `${kind}_${ownPart(responseId)}${digits(place)}`;
}

/** The id of an input item; never that of an output item of the same response. */
export function inputItemId(kind: ItemKind, responseId: string, place: number): string {
  return `${kind}_${ownPart(responseId)}i${digits(place)}`;
}

function ownPart(responseId: string): string {
  return responseId.slice(responseId.indexOf("_") + 1).replaceAll("-", "");
}

function digits(place: number): string {
  return place.toString(16).padStart(4, "0");
}

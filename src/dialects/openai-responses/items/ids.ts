/** Ids of items, derived from the response's id and the item's position, so that they never change. Pure. */

export type ItemKind =
  | "msg"
  | "rs"
  | "fc"
  | "fco"
  | "ctc"
  | "lsh"
  | "sh"
  | "apc"
  | "tsc"
  | "cmp"
  | "ig"
  | "mcp"
  | "mcpl"
  | "mcpr"
  | "mcpa"
  | "item";

/** Returns the id of an output item. @param responseId such as `resp_` and 32 hex digits. */
export function outputItemId(kind: ItemKind, responseId: string, position: number): string {
  return `${kind}_${idSuffix(responseId)}${digits(position)}`;
}

/** Returns the id of an input item. It never equals the id of an output item of the same response. */
export function inputItemId(kind: ItemKind, responseId: string, position: number): string {
  return `${kind}_${idSuffix(responseId)}i${digits(position)}`;
}

function idSuffix(responseId: string): string {
  return responseId.slice(responseId.indexOf("_") + 1).replaceAll("-", "");
}

function digits(position: number): string {
  return position.toString(16).padStart(4, "0");
}

import { HearthError } from "./errors.js";
import { redactSecret } from "./report/redact-secret.js";

/** A shorter start of an id is not accepted: it is more likely a typing error than an abbreviation. */
const idCharactersMin = 4;
/** Items that an error about an ambiguous reference names. */
const candidatesMax = 5;

/**
 * Returns the item that a reference identifies: by its id, the start of its id, or another of its names. An id comes before all others;
 * a name that is the start of the id of another item identifies neither.
 * @param kind what the items are, for the error message.
 * @param isNamed whether the reference is a name of the item.
 * @param describe what the error says of an item after its id, where the reference is ambiguous.
 * @throws HearthError `not_found` when no item matches, `conflict` when several do.
 */
export function resolveReference<Item extends { readonly id: string }>(
  kind: string,
  reference: string,
  all: readonly Item[],
  isNamed: (item: Item) => boolean,
  describe: (item: Item) => string = () => "",
): Item {
  const found = matching(reference, all, isNamed);
  const [item, another] = found;
  if (item === undefined) throw notFound(kind, reference);
  if (another === undefined) return item;
  const candidates = found.slice(0, candidatesMax).map((one) => {
    const about = describe(one);
    return about === "" ? one.id : `${one.id} (${about})`;
  });
  const more = found.length > candidatesMax ? ", and others" : "";
  throw new HearthError(
    "conflict",
    `More than one ${kind} is called '${reference}': ${candidates.join(", ")}${more}. Give more of the ID.`,
    { param: "id" },
  );
}

function matching<Item extends { readonly id: string }>(
  reference: string,
  all: readonly Item[],
  isNamed: (item: Item) => boolean,
): readonly Item[] {
  const exact = all.filter(({ id }) => id === reference);
  if (exact.length > 0) return exact;
  const isStart = ({ id }: Item): boolean => reference.length >= idCharactersMin && id.startsWith(reference);
  return all.filter((item) => isNamed(item) || isStart(item));
}

/** Redacts a reference that may be a secret. Neither an id nor a text under 16 characters can be one. */
function notFound(kind: string, reference: string): HearthError {
  const isSafe = reference.length < 16 || /^(batch_|file-)?[0-9a-f-]{0,36}$/.test(reference);
  const shown = isSafe ? reference : redactSecret(reference);
  return new HearthError("not_found", `Cannot find ${kind} '${shown}'.`, { param: "id" });
}

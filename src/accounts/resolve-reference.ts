import { HearthError } from "../core/errors.js";
import { redactSecret } from "./authentication/secret.js";

/** A shorter beginning of an id is more likely a slip than a choice. */
const idCharactersLeast = 4;

/**
 * The one thing that a person means by its id, the beginning of its id, or another of its names.
 * @param kind what it is, for the refusal.
 * @param isNamed whether the reference is a name of it.
 * @throws HearthError `not_found` when none is meant, `conflict` when more than one is.
 */
export function meant<Thing extends { readonly id: string }>(
  kind: string,
  reference: string,
  all: readonly Thing[],
  isNamed: (thing: Thing) => boolean,
): Thing {
  const found = matching(reference, all, isNamed);
  const [thing, another] = found;
  if (thing === undefined) throw unknown(kind, reference);
  if (another === undefined) return thing;
  const ids = found.slice(0, 5).map((one) => one.id);
  throw new HearthError("conflict", `More than one ${kind} is called '${reference}': ${ids.join(", ")}.`, {
    param: "id",
  });
}

function matching<Thing extends { readonly id: string }>(
  reference: string,
  all: readonly Thing[],
  isNamed: (thing: Thing) => boolean,
): readonly Thing[] {
  const exact = all.filter((thing) => thing.id === reference || isNamed(thing));
  if (exact.length > 0 || reference.length < idCharactersLeast) return exact;
  return all.filter((thing) => thing.id.startsWith(reference));
}

/** Whoever gives the secret itself must not read it again in a log; no secret is as short as 15 characters, or an id. */
function unknown(kind: string, reference: string): HearthError {
  const harmless = reference.length < 16 || /^[0-9a-f-]{16,36}$/.test(reference);
  const shown = harmless ? reference : redactSecret(reference);
  return new HearthError("not_found", `Cannot find ${kind} '${shown}'.`, { param: "id" });
}

/**
 * Names and references inside one document: which subschemas have a URI or an anchor, and which place a reference names. It
 * fetches nothing: a reference that leaves the document is a refusal.
 */
import type { Dialect } from "./dialect.js";
import type { JsonValue } from "./node.js";
import {
  isObject,
  own,
  pointerTo,
  step,
  subschemas,
  tokensOf,
  type JsonObject,
  type Place,
} from "./place.js";
import { SchemaRefusal } from "./refusal.js";

export interface References {
  /** The place inside `place` that the tokens lead to. */
  inside(place: Place, ...tokens: readonly (string | number)[]): Place;
  /** The target of `$ref`, `$dynamicRef` or `$recursiveRef` in a schema object. @throws SchemaRefusal */
  target(place: Place, keyword: RefKeyword): Place;
  readonly root: Place;
}

export type RefKeyword = "$ref" | "$dynamicRef" | "$recursiveRef";

/** The URI of a document that gives itself none. */
const rootUri = "schema://document/";

interface Names {
  /** Base URIs, where a place has another than what is around it. */
  readonly bases: ReadonlyMap<string, string>;
  /** By URI, and by URI with `#anchor`; null where two places claim the name. */
  readonly places: ReadonlyMap<string, Place | null>;
  /** How many places each `$dynamicAnchor` has, by its name. */
  readonly dynamicAnchors: ReadonlyMap<string, number>;
  readonly recursiveAnchors: number;
}

/** Collects the names of a document and answers for its references. */
export function referencesOf(document: JsonValue, dialect: Dialect): References {
  const names = namesOf(document, dialect);
  const root = { value: document, pointer: "", base: names.bases.get("") ?? rootUri };

  const inside = (place: Place, ...tokens: readonly (string | number)[]): Place => {
    const found = walk(place, tokens.map(String), names);
    if (found === undefined) throw new RangeError(`nothing at ${place.pointer}/${tokens.join("/")}`);
    return found;
  };

  const named = (place: Place, keyword: RefKeyword, reference: string): Place => {
    const { uri, fragment } = split(reference, place, keyword);
    if (fragment !== "" && !fragment.startsWith("/")) {
      const anchored = names.places.get(`${uri}#${fragment}`);
      if (anchored !== undefined) return unambiguous(anchored, place, keyword, reference);
    }
    const resource = uri === root.base ? root : names.places.get(uri);
    if (resource === undefined) throw leaves(place, keyword, reference);
    const within = unambiguous(resource, place, keyword, reference);
    if (fragment !== "" && !fragment.startsWith("/")) throw leadsNowhere(place, keyword, reference);
    // Real documents write pointers from the top below an `id` that should have moved the start.
    const found = walk(within, tokensOf(fragment), names) ?? walk(root, tokensOf(fragment), names);
    if (found === undefined) throw leadsNowhere(place, keyword, reference);
    return found;
  };

  return {
    root,
    inside,
    target(place, keyword) {
      const reference = isObject(place.value) ? own(place.value, keyword) : undefined;
      if (typeof reference !== "string") throw refusal(`${keyword} must be a string`, place.pointer, keyword);
      const found = named(place, keyword, reference);
      if (dynamicTargets(found, keyword, reference, names) > 1)
        throw refusal(
          `${keyword} ${JSON.stringify(reference)} has several targets, one for each way it is reached; use $ref`,
          place.pointer,
          keyword,
        );
      return found;
    },
  };
}

function namesOf(document: JsonValue, dialect: Dialect): Names {
  const bases = new Map<string, string>();
  const places = new Map<string, Place | null>();
  const dynamicAnchors = new Map<string, number>();
  let recursiveAnchors = 0;
  const name = (uri: string, place: Place): void => {
    places.set(uri, places.has(uri) ? null : place);
  };
  const pending = isObject(document) ? [{ value: document, pointer: "", base: rootUri }] : [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, pointer } = next;
    let { base } = next;
    const id = identifier(value, base, dialect);
    if (id?.uri !== undefined) {
      base = id.uri;
      bases.set(pointer, base);
      name(base, { value, pointer, base });
    }
    const place = { value, pointer, base };
    const anchor = own(value, "$anchor");
    const dynamic = own(value, "$dynamicAnchor");
    if (id?.anchor !== undefined) name(`${base}#${id.anchor}`, place);
    if (typeof anchor === "string") name(`${base}#${anchor}`, place);
    if (typeof dynamic === "string") {
      name(`${base}#${dynamic}`, place);
      dynamicAnchors.set(dynamic, (dynamicAnchors.get(dynamic) ?? 0) + 1);
    }
    if (own(value, "$recursiveAnchor") === true) recursiveAnchors += 1;
    for (const child of subschemas(value, pointer)) pending.push({ ...child, base });
  }
  return { bases, places, dynamicAnchors, recursiveAnchors };
}

/** What a schema object calls itself: a URI, or in older drafts an anchor. */
function identifier(
  object: JsonObject,
  base: string,
  dialect: Dialect,
): { readonly uri?: string; readonly anchor?: string } | undefined {
  if (dialect.refStandsAlone && Object.hasOwn(object, "$ref")) return undefined;
  const id = dialect.idKeywords
    .map((keyword) => own(object, keyword))
    .find((value) => typeof value === "string");
  if (id === undefined) return undefined;
  if (id.startsWith("#"))
    return dialect.idNamesAnchors && id.length > 1 ? { anchor: id.slice(1) } : undefined;
  const uri = absolute(id.split("#")[0] ?? id, base);
  return uri === undefined || uri === base ? undefined : { uri };
}

function absolute(reference: string, base: string): string | undefined {
  if (reference === "") return base;
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function split(reference: string, place: Place, keyword: RefKeyword): { uri: string; fragment: string } {
  const hash = reference.indexOf("#");
  const uri = absolute(hash === -1 ? reference : reference.slice(0, hash), place.base);
  if (uri === undefined) throw leaves(place, keyword, reference);
  const fragment = hash === -1 ? "" : reference.slice(hash + 1);
  return { uri, fragment: decoded(fragment) };
}

/** Percent-decoded; a text that is not percent-encoded as it should be stays as it is. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function walk(from: Place, tokens: readonly string[], names: Names): Place | undefined {
  let place = from;
  for (const token of tokens) {
    const value = step(place.value, token);
    if (value === undefined) return undefined;
    const pointer = pointerTo(place.pointer, token);
    place = { value, pointer, base: names.bases.get(pointer) ?? place.base };
  }
  return place;
}

function dynamicTargets(target: Place, keyword: RefKeyword, reference: string, names: Names): number {
  if (!isObject(target.value)) return 1;
  if (keyword === "$recursiveRef")
    return own(target.value, "$recursiveAnchor") === true ? names.recursiveAnchors : 1;
  const anchor = own(target.value, "$dynamicAnchor");
  const dynamic = keyword === "$dynamicRef" && typeof anchor === "string" && reference.endsWith(`#${anchor}`);
  return dynamic ? (names.dynamicAnchors.get(anchor) ?? 1) : 1;
}

function unambiguous(found: Place | null, place: Place, keyword: string, reference: string): Place {
  if (found !== null) return found;
  throw refusal(
    `${keyword} ${JSON.stringify(reference)} names more than one subschema of this document; give each its own name`,
    place.pointer,
    keyword,
  );
}

function leaves(place: Place, keyword: string, reference: string): SchemaRefusal {
  return refusal(
    `${keyword} ${JSON.stringify(reference)} is not in this document, and nothing is fetched; ` +
      "copy what it names into $defs and refer to it there",
    place.pointer,
    keyword,
  );
}

function leadsNowhere(place: Place, keyword: string, reference: string): SchemaRefusal {
  return refusal(
    `${keyword} ${JSON.stringify(reference)} leads to nothing in this document`,
    place.pointer,
    keyword,
  );
}

/** A refusal that says where. @param what a sentence without its full stop and place. */
export function refusal(what: string, pointer: string, keyword: string | null): SchemaRefusal {
  const message = `${what} (at ${pointer === "" ? "the top of the schema" : `#${pointer}`}).`;
  return new SchemaRefusal(message, { keyword, pointer });
}

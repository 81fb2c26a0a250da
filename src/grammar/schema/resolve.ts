/**
 * Resolves references inside one document by JSON Pointer, anchor and URI. Nothing is fetched: a reference to
 * another document is rejected.
 */
import type { SchemaDialect } from "./dialect.js";
import type { JsonValue } from "./node.js";
import {
  isObject,
  ownProperty,
  pointerTo,
  childValue,
  subschemas,
  splitPointer,
  type JsonObject,
  type SchemaLocation,
} from "./location.js";
import { SchemaRefusal } from "./refusal.js";

export type References = ReturnType<typeof findReferences>;

export type RefKeyword = "$ref" | "$dynamicRef" | "$recursiveRef";

/** The base URI of a document that declares none. */
const rootUri = "schema://document/";

interface Names {
  /** Base URIs by JSON Pointer, for the locations that change the base URI. */
  readonly bases: ReadonlyMap<string, string>;
  /** Locations by URI, and by URI with `#anchor`; null if two locations claim the same name. */
  readonly locations: ReadonlyMap<string, SchemaLocation | null>;
  /** The number of locations of each `$dynamicAnchor`, by name. */
  readonly dynamicAnchors: ReadonlyMap<string, number>;
  readonly recursiveAnchors: number;
}

/** Collects the URIs and anchors of a document and returns a resolver for its references. */
export function findReferences(document: JsonValue, dialect: SchemaDialect) {
  const names = collectNames(document, dialect);
  const root = { value: document, pointer: "", base: names.bases.get("") ?? rootUri };

  const inside = (location: SchemaLocation, ...tokens: readonly (string | number)[]): SchemaLocation => {
    const found = walk(location, tokens.map(String), names);
    if (found === undefined)
      throw new RangeError(`there is no value at ${location.pointer}/${tokens.join("/")}`);
    return found;
  };

  const named = (location: SchemaLocation, keyword: RefKeyword, reference: string): SchemaLocation => {
    const { uri, fragment } = split(reference, location, keyword);
    if (fragment !== "" && !fragment.startsWith("/")) {
      const anchored = names.locations.get(`${uri}#${fragment}`);
      if (anchored !== undefined) return unambiguous(anchored, location, keyword, reference);
    }
    const resource = uri === root.base ? root : names.locations.get(uri);
    if (resource === undefined) throw notInDocument(location, keyword, reference);
    const within = unambiguous(resource, location, keyword, reference);
    if (fragment !== "" && !fragment.startsWith("/")) throw unresolvable(location, keyword, reference);
    // Real documents write JSON Pointers relative to the document root even below an `id` that changes the
    // base.
    const found = walk(within, splitPointer(fragment), names) ?? walk(root, splitPointer(fragment), names);
    if (found === undefined) throw unresolvable(location, keyword, reference);
    return found;
  };

  return {
    root,
    /** Returns the location that the tokens point to, relative to `location`. */
    inside,
    /**
     * Returns the target of `$ref`, `$dynamicRef` or `$recursiveRef` in a schema object. @throws SchemaRefusal
     */
    target(location: SchemaLocation, keyword: RefKeyword): SchemaLocation {
      const reference = isObject(location.value) ? ownProperty(location.value, keyword) : undefined;
      if (typeof reference !== "string")
        throw refusal(`${keyword} must be a string`, location.pointer, keyword);
      const found = named(location, keyword, reference);
      if (dynamicTargets(found, keyword, reference, names) > 1)
        throw refusal(
          `${keyword} ${JSON.stringify(reference)} has several targets, depending on how it is reached; use $ref`,
          location.pointer,
          keyword,
        );
      return found;
    },
  };
}

function collectNames(document: JsonValue, dialect: SchemaDialect): Names {
  const bases = new Map<string, string>();
  const locations = new Map<string, SchemaLocation | null>();
  const dynamicAnchors = new Map<string, number>();
  let recursiveAnchors = 0;
  const name = (uri: string, location: SchemaLocation): void => {
    locations.set(uri, locations.has(uri) ? null : location);
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
    const location = { value, pointer, base };
    const anchor = ownProperty(value, "$anchor");
    const dynamic = ownProperty(value, "$dynamicAnchor");
    if (id?.anchor !== undefined) name(`${base}#${id.anchor}`, location);
    if (typeof anchor === "string") name(`${base}#${anchor}`, location);
    if (typeof dynamic === "string") {
      name(`${base}#${dynamic}`, location);
      dynamicAnchors.set(dynamic, (dynamicAnchors.get(dynamic) ?? 0) + 1);
    }
    if (ownProperty(value, "$recursiveAnchor") === true) recursiveAnchors += 1;
    for (const child of subschemas(value, pointer)) pending.push({ ...child, base });
  }
  return { bases, locations, dynamicAnchors, recursiveAnchors };
}

/** Returns the URI that a schema object declares, or in older drafts its anchor. */
function identifier(
  object: JsonObject,
  base: string,
  dialect: SchemaDialect,
): { readonly uri?: string; readonly anchor?: string } | undefined {
  if (dialect.refStandsAlone && Object.hasOwn(object, "$ref")) return undefined;
  const id = dialect.idKeywords
    .map((keyword) => ownProperty(object, keyword))
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

function split(
  reference: string,
  location: SchemaLocation,
  keyword: RefKeyword,
): { uri: string; fragment: string } {
  const hash = reference.indexOf("#");
  const uri = absolute(hash === -1 ? reference : reference.slice(0, hash), location.base);
  if (uri === undefined) throw notInDocument(location, keyword, reference);
  const fragment = hash === -1 ? "" : reference.slice(hash + 1);
  return { uri, fragment: percentDecoded(fragment) };
}

/** Returns the percent-decoded text, or the text itself if its encoding is malformed. */
function percentDecoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function walk(from: SchemaLocation, tokens: readonly string[], names: Names): SchemaLocation | undefined {
  let location = from;
  for (const token of tokens) {
    const value = childValue(location.value, token);
    if (value === undefined) return undefined;
    const pointer = pointerTo(location.pointer, token);
    location = { value, pointer, base: names.bases.get(pointer) ?? location.base };
  }
  return location;
}

function dynamicTargets(
  target: SchemaLocation,
  keyword: RefKeyword,
  reference: string,
  names: Names,
): number {
  if (!isObject(target.value)) return 1;
  if (keyword === "$recursiveRef")
    return ownProperty(target.value, "$recursiveAnchor") === true ? names.recursiveAnchors : 1;
  const anchor = ownProperty(target.value, "$dynamicAnchor");
  const dynamic = keyword === "$dynamicRef" && typeof anchor === "string" && reference.endsWith(`#${anchor}`);
  return dynamic ? (names.dynamicAnchors.get(anchor) ?? 1) : 1;
}

function unambiguous(
  found: SchemaLocation | null,
  location: SchemaLocation,
  keyword: string,
  reference: string,
): SchemaLocation {
  if (found !== null) return found;
  throw refusal(
    `${keyword} ${JSON.stringify(reference)} names more than one subschema of this document; give each its own name`,
    location.pointer,
    keyword,
  );
}

function notInDocument(location: SchemaLocation, keyword: string, reference: string): SchemaRefusal {
  return refusal(
    `${keyword} ${JSON.stringify(reference)} is not in this document, and other documents are not fetched; ` +
      "copy the target into $defs and refer to it there",
    location.pointer,
    keyword,
  );
}

function unresolvable(location: SchemaLocation, keyword: string, reference: string): SchemaRefusal {
  return refusal(
    `${keyword} ${JSON.stringify(reference)} points to nothing in this document`,
    location.pointer,
    keyword,
  );
}

/**
 * Creates a refusal whose message ends with the location. @param what the sentence without full stop and
 * location
 */
export function refusal(what: string, pointer: string, keyword: string | null): SchemaRefusal {
  const message = `${what} (at ${pointer === "" ? "the top of the schema" : `#${pointer}`}).`;
  return new SchemaRefusal(message, { keyword, pointer });
}

import { generatedFormat, isRegularFormat } from "../regular/pattern/format.js";
import type { JsonType, JsonValue, SchemaNode } from "../schema/node.js";
import {
  anyArray,
  anyInteger,
  anyNumber,
  anyObject,
  anyString,
  anyValue,
  noValue,
  type ArrayShape,
  type Clause,
  type Language,
  type Members,
  type NumberShape,
  type ObjectShape,
  type StringShape,
} from "./language.js";
import type { GrammarScope } from "./scope.js";
import { anyTerm } from "./term.js";
import { toStringShape } from "./strings.js";

/**
 * Returns the language of a node's own keywords, without those that apply other schemas to the same value.
 */
export function fromKeywords(node: SchemaNode, scope: GrammarScope): Language {
  if (node.values !== undefined) return { ...noValue, values: node.values };
  const { types } = node;
  const allows = (type: JsonType): boolean => types === undefined || types.has(type);
  const numeric = allows("number") || allows("integer");
  const language: Language = {
    values: listConstants(types),
    numbers: numeric ? [toNumberShape(node, !allows("number"))] : [],
    strings: allows("string") ? [stringShape(node, scope)] : [],
    arrays: allows("array") ? [arrayShape(node, scope)] : [],
    objects: allows("object") ? [objectShape(node, scope)] : [],
  };
  const free =
    types === undefined &&
    language.numbers[0] === anyNumber &&
    language.strings[0] === anyString &&
    language.arrays[0] === anyArray &&
    language.objects[0] === anyObject;
  return free ? anyValue : language;
}

/** Returns the values of the types null and boolean, as far as they are allowed. */
export function listConstants(types: ReadonlySet<JsonType> | undefined): readonly JsonValue[] {
  const values: JsonValue[] = [];
  if (types === undefined || types.has("null")) values.push(null);
  if (types === undefined || types.has("boolean")) values.push(false, true);
  return values;
}

function toNumberShape(node: SchemaNode, integer: boolean): NumberShape {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const bounds = { minimum, maximum, exclusiveMinimum, exclusiveMaximum };
  const isBound = multipleOf !== undefined || Object.values(bounds).some((bound) => bound !== undefined);
  if (!isBound) return integer ? anyInteger : anyNumber;
  const multiples = multipleOf === undefined ? undefined : [multipleOf];
  return { range: { integer, ...bounds, multipleOf: multiples }, checks: [] };
}

function stringShape(node: SchemaNode, scope: GrammarScope): StringShape {
  const { pattern, format, minLength, maxLength, pointer } = node;
  if (pattern === undefined && format === undefined && minLength === undefined && maxLength === undefined)
    return anyString;
  const automata = [];
  if (pattern !== undefined)
    automata.push({ automaton: scope.pattern(pattern), at: { keyword: "pattern", pointer } });
  const regular = format === undefined || isRegularFormat(format);
  const inFormat = { keyword: "format", pointer };
  if (format !== undefined && regular) automata.push({ automaton: generatedFormat(format), at: inFormat });
  const shape = toStringShape(automata, {
    min: minLength ?? 0,
    max: maxLength ?? null,
    at: { keyword: maxLength === undefined ? "minLength" : "maxLength", pointer },
  });
  return regular ? shape : { ...shape, checks: [...shape.checks, inFormat] };
}

function arrayShape(node: SchemaNode, scope: GrammarScope): ArrayShape {
  const { prefixItems, items, minItems, maxItems, uniqueItems, contains, pointer } = node;
  const lists =
    prefixItems === undefined && items === undefined
      ? []
      : [
          {
            prefix: (prefixItems ?? []).map((item) => scope.terms.of(item)),
            rest: items === undefined ? null : scope.terms.of(items),
            evaluates: true,
          },
        ];
  const contained =
    contains === undefined
      ? []
      : [
          {
            term: scope.terms.of(contains.node),
            min: contains.min,
            max: contains.max,
            evaluates: contains.evaluates,
            at: { keyword: "contains", pointer },
          },
        ];
  const unique = uniqueItems === true ? { keyword: "uniqueItems", pointer } : null;
  const counted = minItems !== undefined || maxItems !== undefined;
  if (lists.length + contained.length === 0 && unique === null && !counted) return anyArray;
  return { lists, minItems: minItems ?? 0, maxItems: maxItems ?? null, unique, contained, checks: [] };
}

function objectShape(node: SchemaNode, scope: GrammarScope): ObjectShape {
  const members = toMembers(node, scope);
  const names =
    node.propertyNames === undefined
      ? []
      : [
          {
            term: scope.terms.of(node.propertyNames),
            at: { keyword: "propertyNames", pointer: node.pointer },
          },
        ];
  const shape: ObjectShape = {
    ...anyObject,
    members: members === null ? [] : [members],
    required: node.required ?? anyObject.required,
    names: names.filter(({ term }) => term !== anyTerm),
    minProperties: node.minProperties ?? 0,
    maxProperties: node.maxProperties ?? null,
    clauses: toClauses(node),
  };
  const free =
    members === null &&
    shape.required.size + shape.names.length + shape.clauses.length + shape.minProperties === 0 &&
    shape.maxProperties === null;
  return free ? anyObject : shape;
}

function toMembers(node: SchemaNode, scope: GrammarScope): Members | null {
  const { properties, patternProperties, additionalProperties } = node;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined)
    return null;
  return {
    properties: new Map([...(properties ?? [])].map(([key, value]) => [key, scope.terms.of(value)])),
    patterns: (patternProperties ?? []).map(({ pattern, node: value }) => ({
      source: pattern,
      automaton: scope.pattern(pattern),
      term: scope.terms.of(value),
    })),
    additional: additionalProperties === undefined ? null : scope.terms.of(additionalProperties),
    declares: true,
  };
}

function toClauses(node: SchemaNode): readonly Clause[] {
  const clauses: Clause[] = [];
  const at = { keyword: "dependentRequired", pointer: node.pointer };
  for (const [key, others] of node.dependentRequired ?? [])
    for (const other of others) if (other !== key) clauses.push({ present: [other], absent: [key], at });
  return clauses;
}

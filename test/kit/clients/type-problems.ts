/** Checks JSON values against the types that clients' packages declare for answers. */
import ts from "typescript";
import { nameAlternative, readElementType, readTypes, type DeclaredType } from "./declared-types.js";

/** How an answer of a server is held against the type of a client's package. */
export interface AnswerType {
  /** Returns what of a value is not as the type says, by path, such as `choices[].message.role: is absent`; further members are allowed. */
  readonly listProblems: (value: unknown) => readonly string[];
  /** Members that the type requires; of a union, those that all of its alternatives require. */
  readonly required: readonly string[];
}

/** Reads types of installed packages, in their order. */
export function readAnswerTypes(declared: readonly DeclaredType[]): readonly AnswerType[] {
  const { checker, types } = readTypes(declared);
  const comparison = new Comparison(checker);
  return types.map((type) => ({
    listProblems: (value) => [...new Set(comparison.compare(type, value, ""))],
    required: listRequired(type),
  }));
}

function listRequired(type: ts.Type): readonly string[] {
  if (!type.isUnion()) return type.getProperties().flatMap((each) => (isOptional(each) ? [] : [each.name]));
  const [first = [], ...others] = type.types.map(listRequired);
  return first.filter((name) => others.every((each) => each.includes(name)));
}

class Comparison {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  compare(type: ts.Type, value: unknown, path: string): readonly string[] {
    const { flags } = type;
    if ((flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0) return [];
    if (type.isUnion()) return this.#compareUnion(type.types, value, path);
    if (type.isIntersection()) return this.#compareIntersection(type.types, value, path);
    const isRight = compareSimple(type, value);
    if (isRight !== null) return isRight ? [] : [this.#wrong(type, value, path)];
    const element = readElementType(type, this.#checker);
    if (element !== null)
      return Array.isArray(value)
        ? value.flatMap((each) => this.compare(element, each, `${path}[]`))
        : [this.#wrong(type, value, path)];
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [this.#wrong(type, value, path)];
    return this.#compareMembers(type, value, path);
  }

  /** Reports what is wrong by the alternative that is meant: the one of the same tag, or the one with the fewest problems. */
  #compareUnion(types: readonly ts.Type[], value: unknown, path: string): readonly string[] {
    const tagged = types.filter((each) => this.#hasTagOf(each, value));
    const meant = tagged.length > 0 ? tagged : types.filter((each) => hasParts(each) === isObject(value));
    const tried = meant.map((each) => this.compare(each, value, path));
    const [best = null] = tried.toSorted((a, b) => a.length - b.length);
    if (best !== null && (best.length === 0 || tagged.length > 0 || (tried.length === 1 && isObject(value))))
      return best;
    const names = types.map((each) => nameAlternative(each, this.#checker));
    return [`${path}: ${describe(value)} is none of ${names.join(", ")}`];
  }

  /** Of `string & {}`, by which a list of names stays open, the text alone counts. */
  #compareIntersection(types: readonly ts.Type[], value: unknown, path: string): readonly string[] {
    const text = types.find((each) => (each.flags & ts.TypeFlags.String) !== 0);
    if (text !== undefined) return this.compare(text, value, path);
    return types.flatMap((each) => this.compare(each, value, path));
  }

  #compareMembers(type: ts.Type, value: object, path: string): readonly string[] {
    const sent = new Map<string, unknown>(Object.entries(value));
    const declared = type.getProperties();
    if (declared.some((member) => this.#isMethod(member))) return [this.#wrong(type, value, path)];
    const ofMembers = declared.flatMap((member) => {
      const place = path === "" ? member.name : `${path}.${member.name}`;
      if (sent.has(member.name))
        return this.compare(this.#checker.getTypeOfSymbol(member), sent.get(member.name), place);
      return isOptional(member) ? [] : [`${place}: is absent`];
    });
    const index = type.getStringIndexType();
    if (index === undefined) return ofMembers;
    const others = [...sent].filter(([name]) => !declared.some((member) => member.name === name));
    return [...ofMembers, ...others.flatMap(([, each]) => this.compare(index, each, `${path}.*`))];
  }

  #hasTagOf(type: ts.Type, value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    return ["type", "role"].some((key) => {
      const tag = type.getProperty(key);
      const tagType = tag === undefined ? undefined : this.#checker.getTypeOfSymbol(tag);
      return key in value && tagType?.isStringLiteral() === true && tagType.value === readKey(value, key);
    });
  }

  /** A class such as Date has methods, and no JSON value is one. */
  #isMethod(member: ts.Symbol): boolean {
    return !isOptional(member) && this.#checker.getTypeOfSymbol(member).getCallSignatures().length > 0;
  }

  #wrong(type: ts.Type, value: unknown, path: string): string {
    return `${path}: ${describe(value)} is not ${nameAlternative(type, this.#checker)}`;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function hasParts(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0;
}

function readKey(value: object, key: string): unknown {
  return new Map<string, unknown>(Object.entries(value)).get(key);
}

function isOptional(member: ts.Symbol): boolean {
  return (member.flags & ts.SymbolFlags.Optional) !== 0;
}

/** Returns whether a value is of a type that has no parts; null: the type has parts. */
function compareSimple(type: ts.Type, value: unknown): boolean | null {
  if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
  const { flags } = type;
  if ((flags & ts.TypeFlags.BooleanLiteral) !== 0)
    return "intrinsicName" in type && String(value) === type.intrinsicName;
  if ((flags & ts.TypeFlags.StringLike) !== 0) return typeof value === "string";
  if ((flags & ts.TypeFlags.NumberLike) !== 0) return typeof value === "number";
  if ((flags & ts.TypeFlags.Null) !== 0) return value === null;
  if ((flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0) return false;
  return null;
}

/** Names a value without its texts, which differ from one answer to another, unless it is one word. */
function describe(value: unknown): string {
  if (typeof value === "string") return /^\w{0,40}$/.test(value) ? `"${value}"` : "a text";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null)
    return "type" in value ? `an object of type ${String(value.type)}` : "an object";
  return String(value);
}

/** Makes values of the types that clients' packages declare, so that a schema can be held against them. */
import ts from "typescript";
import { nameAlternative, readElementType, readTypes, type DeclaredType } from "./declared-types.js";

/** A value of a type, and which of its members, alternatives or literals it shows. */
export interface TypeSample {
  /** Such as `messages.0.content.0(image_url).detail`. */
  readonly path: string;
  readonly value: unknown;
}

/** Nesting of objects and arrays, beyond which a value has what its type requires only. */
const depthMax = 14;

/** Reads types of installed packages. @returns for each, its own members and its samples */
export function readSamples(
  declared: readonly DeclaredType[],
): readonly { readonly members: readonly string[]; readonly samples: readonly TypeSample[] }[] {
  const { checker, types } = readTypes(declared);
  const sampler = new Sampler(checker);
  return types.map((type) => ({
    members: [...new Set(listMembers(type).map(({ name }) => name))],
    samples: [{ path: "", value: sampler.least(type, 0) }, ...sampler.others(type, "", [])],
  }));
}

function listMembers(type: ts.Type): readonly ts.Symbol[] {
  return type.isUnion() ? type.types.flatMap(listMembers) : type.getProperties();
}

class Sampler {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** Returns a value with what the type requires, and no more. */
  least(type: ts.Type, depth: number): unknown {
    const simple = simpleValue(type);
    if (simple !== null) return simple.value;
    if (type.isUnion()) {
      const kept = type.types.filter((each) => !isAbsent(each));
      const [first] = [...kept.filter((each) => simpleValue(each) !== null), ...kept];
      return first === undefined ? null : this.least(first, depth);
    }
    const element = readElementType(type, this.#checker);
    if (element !== null) return depth > depthMax ? [] : [this.least(element, depth + 1)];
    const required = type.getProperties().filter((each) => (each.flags & ts.SymbolFlags.Optional) === 0);
    if (depth > depthMax) return {};
    return Object.fromEntries(required.map((each) => [each.name, this.least(this.#typeOf(each), depth + 1)]));
  }

  /** Returns values that differ from it in one place each. */
  others(type: ts.Type, path: string, around: readonly ts.Type[]): readonly TypeSample[] {
    if (around.includes(type) || around.length > depthMax || simpleValue(type) !== null) return [];
    const inside = [...around, type];
    if (type.isUnion())
      return type.types
        .filter((each) => (each.flags & ts.TypeFlags.Undefined) === 0)
        .flatMap((each) => {
          const place = `${path}(${nameAlternative(each, this.#checker)})`;
          const own = isAbsent(each) ? null : this.least(each, 0);
          return [{ path: place, value: own }, ...this.others(each, place, inside)];
        });
    const element = readElementType(type, this.#checker);
    if (element !== null)
      return this.others(element, `${path}.0`, inside).map((each) => ({ ...each, value: [each.value] }));
    const base = this.least(type, 0);
    if (typeof base !== "object" || base === null) return [];
    return type.getProperties().flatMap((member) => {
      const place = path === "" ? member.name : `${path}.${member.name}`;
      const memberType = this.#typeOf(member);
      const values = [
        { path: place, value: this.least(memberType, 0) },
        ...this.others(memberType, place, inside),
      ];
      return values.map((each) => ({ path: each.path, value: { ...base, [member.name]: each.value } }));
    });
  }

  #typeOf(member: ts.Symbol): ts.Type {
    return this.#checker.getTypeOfSymbol(member);
  }
}

function isAbsent({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) !== 0;
}

/** Returns a value of a type that has no parts; null: it has. */
function simpleValue(type: ts.Type): { readonly value: unknown } | null {
  if (type.isStringLiteral() || type.isNumberLiteral()) return { value: type.value };
  const { flags } = type;
  if ((flags & ts.TypeFlags.BooleanLiteral) !== 0)
    return { value: "intrinsicName" in type && type.intrinsicName === "true" };
  if ((flags & ts.TypeFlags.Boolean) !== 0) return { value: true };
  // Such as `string & {}`, by which a list of names stays open.
  const isString =
    type.isIntersection() && type.types.some((each) => (each.flags & ts.TypeFlags.String) !== 0);
  if (isString || (flags & ts.TypeFlags.StringLike) !== 0) return { value: "text" };
  if ((flags & ts.TypeFlags.NumberLike) !== 0) return { value: 1 };
  if ((flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0) return { value: {} };
  return null;
}

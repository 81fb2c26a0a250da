/** Macros, and the blocks of calls, which are macros without a name. */
import type { MacroParameter, JinjaStatement } from "../syntax/nodes.js";
import {
  Dictionary,
  orElse,
  TemplateError,
  Tuple,
  Undefined,
  type Arguments,
  type Value,
} from "../values/values.js";
import type { VariableScope } from "./scope.js";

type Special = "varargs" | "kwargs" | "caller";
const specials: ReadonlySet<string> = new Set<Special>(["varargs", "kwargs", "caller"]);

export interface MacroSource {
  readonly name: string | null;
  readonly parameters: readonly MacroParameter[];
  readonly body: readonly JinjaStatement[];
}

const known = new WeakMap<readonly JinjaStatement[], ReadonlySet<string>>();

/** Returns which of the special names a body uses. */
function usedSpecials(body: readonly JinjaStatement[]): ReadonlySet<string> {
  const before = known.get(body);
  if (before !== undefined) return before;
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("type" in node && node.type === "name" && "name" in node && specials.has(String(node.name)))
      used.add(String(node.name));
    Object.values(node).forEach(visit);
  };
  visit(body);
  known.set(body, used);
  return used;
}

/**
 * Sets the parameters of a macro in the scope of a call.
 * @param evaluateDefault evaluates the default of a parameter in that scope
 */
export function bindParameters(
  { name, parameters, body }: MacroSource,
  { positional, named }: Arguments,
  scope: VariableScope,
  evaluateDefault: (parameter: MacroParameter) => Value | undefined,
): void {
  const used = usedSpecials(body);
  const rest = new Map(named);
  for (const [at, parameter] of parameters.entries()) {
    const isNamed = at >= positional.length && rest.has(parameter.name);
    const given = isNamed ? rest.get(parameter.name) : positional[at];
    if (isNamed) rest.delete(parameter.name);
    const missing = new Undefined(`parameter '${parameter.name}' was not provided`);
    scope.set(
      parameter.name,
      orElse(given, () => orElse(evaluateDefault(parameter), () => missing)),
    );
  }
  const label = `macro ${name === null ? "None" : `'${name}'`}`;
  const isOwn = parameters.some((parameter) => parameter.name === "caller");
  if (used.has("caller") && !isOwn) {
    scope.set(
      "caller",
      orElse(rest.get("caller"), () => new Undefined("No caller defined")),
    );
    rest.delete("caller");
  }
  if (used.has("kwargs")) scope.set("kwargs", new Dictionary(rest));
  else if (rest.size > 0)
    throw new TemplateError(`${label} takes no keyword argument '${Array.from(rest.keys()).join()}'`);
  if (used.has("varargs")) scope.set("varargs", new Tuple(positional.slice(parameters.length)));
  else if (positional.length > parameters.length)
    throw new TemplateError(`${label} takes not more than ${parameters.length} argument(s)`);
}

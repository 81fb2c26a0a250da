/** Binds the arguments of a call to the parameters of a built-in function, filter, test or method. */
import { TemplateError, typeName, type Arguments, type Value } from "./values.js";

/**
 * Returns the value of each parameter, or undefined where none is given.
 * @param parameters their names in order; one that ends with `!` must be given
 */
export function bound(
  name: string,
  parameters: readonly string[],
  { positional, named }: Arguments,
): readonly (Value | undefined)[] {
  if (positional.length > parameters.length)
    throw new TemplateError(
      `${name}() takes at most ${parameters.length} arguments (${positional.length} given)`,
    );
  const names = parameters.map((parameter) => parameter.replace("!", ""));
  for (const key of named.keys()) {
    const at = names.indexOf(key);
    if (at === -1) throw new TemplateError(`${name}() got an unexpected keyword argument '${key}'`);
    if (at < positional.length)
      throw new TemplateError(`${name}() got multiple values for argument '${key}'`);
  }
  return parameters.map((parameter, at) => {
    // Null is the template's none; only an argument that is not there is undefined.
    const given = at < positional.length ? positional[at] : named.get(names[at] ?? "");
    if (given === undefined && parameter.endsWith("!"))
      throw new TemplateError(`${name}() missing 1 required argument: '${names[at]}'`);
    return given;
  });
}

/** @throws TemplateError for a value that is not a text */
export function textArgument(value: Value | undefined, name: string): string {
  if (typeof value === "string") return value;
  throw new TemplateError(`${name} must be str, not ${value === undefined ? "missing" : typeName(value)}`);
}

/** Returns a text, or null where the argument is none or not given. */
export function optionalText(value: Value | undefined, name: string): string | null {
  return value == null ? null : textArgument(value, name);
}

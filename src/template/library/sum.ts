/** The sum of numbers. */
import { Float, toNumber, TemplateError, typeName, type Value } from "../values/values.js";

/** @throws TemplateError for a value that is not a number */
export function addValues(left: Value, right: Value): Value {
  const [first, second] = [toNumber(left), toNumber(right)];
  if (first === null || second === null)
    throw new TemplateError(
      `unsupported operand type(s) for +: '${typeName(left)}' and '${typeName(right)}'`,
    );
  const sum = first + second;
  return left instanceof Float || right instanceof Float ? new Float(sum) : sum;
}

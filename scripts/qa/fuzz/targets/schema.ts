import { createValidator } from "../../../../src/grammar/schema/validate.js";
import { SchemaRefusal } from "../../../../src/grammar/schema/refusal.js";
import { check, Violation } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";
import { converted, otherVerdict, schemaInput, stepsMax, valuesFor } from "./schemas.js";

/** No unit of work is larger than this: a conversion that exceeds its limit does so by less. */
const pointerPattern = /^(\/([^~/]|~[01])*)*$/u;

export const target: FuzzTarget = {
  guarantee:
    "a schema is converted within its limit of steps or refused with its place, and valid means what the standard says",
  format: "json",
  bytesMax: 4096,
  msMax: 5000,
  corpus: "schema",
  run(bytes) {
    const input = schemaInput(bytes);
    if (input === null) return "no JSON";
    const result = converted(input);
    if (result instanceof SchemaRefusal) {
      const { keyword, pointer, message } = result;
      check(keyword === null || keyword !== "", () => "the refusal names an empty keyword");
      check(pointerPattern.test(pointer), () => `the refusal is at ${pointer}, which is no JSON Pointer`);
      check(message.length > 0 && message.length < 1000, () => `the message is ${message}`);
      return `refused ${keyword} ${toLabel(message).slice(0, 60)}`;
    }
    check(result.steps <= stepsMax, () => `the conversion took ${result.steps} steps`);
    check(result.exact === (result.checked.length === 0), () => "exact contradicts what is checked");
    return `converted ${[...new Set(result.checked.map(({ keyword }) => keyword))].sort().join(" ")}`;
  },
  inspect(bytes) {
    const input = schemaInput(bytes);
    const result = input === null ? null : converted(input);
    if (input === null || result === null || result instanceof SchemaRefusal) return;
    const verdict = otherVerdict(input.schema);
    if (verdict === null) return;
    const validator = createValidator(result.node);
    for (const value of valuesFor(input.schema)) {
      const problem = validator(value);
      if (problem?.keyword === "limit") continue;
      const isValid = safely(verdict, value);
      if (isValid === null || isValid === (problem === null)) continue;
      const said = problem === null ? "valid" : `invalid (${problem.keyword} at '${problem.schemaPointer}')`;
      throw new Violation(
        `the validator's verdict differs from ajv's\n${JSON.stringify(value)} is ${said} by the validator: ${JSON.stringify(input.schema)}`,
      );
    }
  },
};

/** Returns null where ajv's generated code is broken. */
function safely(verdict: (value: unknown) => boolean, value: unknown): boolean | null {
  try {
    return verdict(value);
  } catch {
    return null;
  }
}

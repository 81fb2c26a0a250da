import { convertSchema } from "../../../src/grammar/convert.js";
import { matchesGrammar, parseGbnf } from "../../kit/grammar/gbnf-matcher.js";

/**
 * A schema, the texts that its grammar generates and does not generate, and the keywords it leaves to the
 * validator.
 */
export interface Scenario {
  readonly schema: unknown;
  /** The meaning of absent additionalProperties; the standard's by default. */
  readonly additionalProperties?: boolean;
  readonly generated: readonly string[];
  readonly not: readonly string[];
  readonly checked?: readonly string[];
}

/** Returns the actual outcome of a scenario's texts, for comparison with the scenario. */
export function outcome(scenario: Scenario): Pick<Scenario, "generated" | "not" | "checked"> {
  const { schema, additionalProperties = true, generated, not } = scenario;
  const { grammar, checked } = convertSchema(schema, { additionalProperties });
  const gbnf = parseGbnf(grammar);
  return {
    generated: generated.filter((text) => matchesGrammar(gbnf, text)),
    not: not.filter((text) => !matchesGrammar(gbnf, text)),
    checked: [...new Set(checked.map((check) => check.keyword))].sort(),
  };
}

/** Returns the expected outcome of a scenario. */
export function expected({
  generated,
  not,
  checked = [],
}: Scenario): Pick<Scenario, "generated" | "not" | "checked"> {
  return { generated, not, checked };
}

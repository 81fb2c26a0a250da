import { convertSchema } from "../../../src/grammar/convert.js";
import { matchesGrammar, parseGbnf } from "../gbnf-matcher.js";

/** A schema, what its grammar generates of these texts and what not, and the keywords it leaves to the validator. */
export interface Scenario {
  readonly schema: unknown;
  /** What the absence of additionalProperties means; the standard's rule unless told. */
  readonly additionalProperties?: boolean;
  readonly generated: readonly string[];
  readonly not: readonly string[];
  readonly checked?: readonly string[];
}

/** What the grammar does with a scenario's texts, to be compared with the scenario itself. */
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

/** What is asked of a scenario. */
export function expected({
  generated,
  not,
  checked = [],
}: Scenario): Pick<Scenario, "generated" | "not" | "checked"> {
  return { generated, not, checked };
}

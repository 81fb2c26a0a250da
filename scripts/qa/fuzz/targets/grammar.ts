import { createValidator } from "../../../../src/grammar/schema/validate.js";
import { SchemaRefusal } from "../../../../src/grammar/schema/refusal.js";
import {
  matchesGrammar,
  parseGbnf,
  sampleText,
  type Gbnf,
} from "../../../../test/kit/grammar/gbnf-matcher.js";
import { textsOf } from "../../../../test/kit/grammar/texts-of.js";
import { check, Violation } from "../../checks/violation.js";
import type { FuzzTarget } from "../target.js";
import { converted, schemaInput, valuesFor, type SchemaInput } from "./schemas.js";

const samples = 2;
const charactersMax = 100;
/** Random choices of one text. */
const drawsMax = 5_000;
/** Matching is by a simple matcher, and is not about long texts. */
const matchedCharactersMax = 300;

export const target: FuzzTarget = {
  guarantee: "a grammar parses, and has valid values and no others, but for keywords left to the validator",
  format: "json",
  bytesMax: 2048,
  msMax: 10_000,
  corpus: "schema",
  run(bytes) {
    const input = schemaInput(bytes);
    if (input === null) return "no JSON";
    const result = converted(input);
    if (result instanceof SchemaRefusal) return `refused ${result.keyword}`;
    const grammar = parseGbnf(result.grammar);
    const validator = createValidator(result.node);
    const keywords = new Set(result.checked.map(({ keyword }) => keyword));
    for (let nth = 0; nth < samples; nth += 1) {
      const text = sampled(grammar, input);
      if (text === null) return "converted with long texts";
      const problem = validator(parseValue(text));
      if (text.length <= matchedCharactersMax)
        check(matchesGrammar(grammar, text), () => `the grammar does not match its own text\n${text}`);
      if (problem === null || problem.keyword === "limit") continue;
      check(!result.exact, () => `an exact grammar has an invalid text (${problem.keyword})\n${text}`);
    }
    return `converted ${[...keywords].sort().join(" ")}`;
  },
  inspect(bytes) {
    const given = schemaInput(bytes);
    if (given === null || narrower.test(JSON.stringify(given.schema))) return;
    const result = converted({ ...given, additionalProperties: true });
    if (result instanceof SchemaRefusal) return;
    const grammar = parseGbnf(result.grammar);
    const validator = createValidator(result.node);
    for (const value of valuesFor(given.schema).filter(isPlain)) {
      if (validator(value) !== null || textsOf(value).some((text) => matchesGrammar(grammar, text))) continue;
      throw new Violation(`the grammar lacks a valid value\n${JSON.stringify(value)}`);
    }
  },
};

/** Grammars of these schemas may allow less than what is valid. */
const narrower = /"(\$schema|unevaluated\w+|format)":/;

/** Returns whether a value is small, with numbers and characters that a grammar allows in just one form. */
function isPlain(value: unknown): boolean {
  const text = JSON.stringify(value);
  const keys = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  return text.length <= 40 && keys <= 3 && !/\\u|\d{9}|\de/.test(text);
}

class TooLong extends Error {}

/** Returns a random text; null when it grows too long, as texts do that have a length of millions at least. */
function sampled(grammar: Gbnf, { chance }: SchemaInput): string | null {
  let left = drawsMax;
  const random = (): number => {
    left -= 1;
    if (left < 0) throw new TooLong();
    return chance.between(0, 0xffff_ffff) / 2 ** 32;
  };
  try {
    return sampleText(grammar, { random, charactersMax });
  } catch (thrown) {
    if (thrown instanceof TooLong) return null;
    throw thrown;
  }
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Violation(`a text of the grammar is no JSON\n${text}`);
  }
}

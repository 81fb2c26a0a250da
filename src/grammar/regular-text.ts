/** Texts that a regular expression of a client describes as a whole. It is read as the keyword `pattern` is, with the same limits. */
import { conversionStepsMax } from "./convert.js";
import { GrammarTooLarge, type RuleSet } from "./gbnf.js";
import { accepts, type Automaton, isEmpty } from "./regular/automaton.js";
import { emitRaw } from "./regular/emit.js";
import { isRegularExpression } from "./regular/pattern/pattern.js";
import { schemaLimits } from "./schema/guards.js";
import { SchemaRefusal } from "./schema/refusal.js";
import { compilePattern } from "./schema/validate/patterns.js";
import { withStepLimit } from "./work.js";

/**
 * Adds the rules of the texts that match an expression from their beginning to their end.
 * @returns the name of the rule. @throws SchemaRefusal for a text that is not a regular expression, or not a supported one
 */
export function addRegularText(source: string, book: RuleSet): string {
  const automaton = readTexts(source);
  try {
    return emitRaw(automaton, book);
  } catch (thrown) {
    throw thrown instanceof GrammarTooLarge ? refusal(`it is too large: ${thrown.message}`) : thrown;
  }
}

/** Returns a function that says whether a text is one of these. @throws SchemaRefusal as `addRegularText` */
export function createRegularMatcher(source: string): (text: string) => boolean {
  const automaton = readTexts(source);
  return (text) => accepts(automaton, text);
}

function readTexts(source: string): Automaton {
  const { patternBytesMax } = schemaLimits;
  if (Buffer.byteLength(source) > patternBytesMax)
    throw refusal(`it must have at most ${patternBytesMax} bytes`);
  // By itself first: the brackets that are put around it must not be closed by its own.
  const anchored = isRegularExpression(source) ? `^(?:${source})$` : source;
  const automaton = compileWithin(anchored, source);
  if (isEmpty(automaton)) throw refusal("no text matches it");
  return automaton;
}

function compileWithin(anchored: string, source: string): Automaton {
  const at = { keyword: null, pointer: "" };
  try {
    return withStepLimit(conversionStepsMax, () => compilePattern(anchored, at, source)).result;
  } catch (thrown) {
    // What takes too many steps names a keyword, which a text does not have.
    const isTooCostly = thrown instanceof SchemaRefusal && thrown.keyword !== null;
    throw isTooCostly
      ? refusal("it is too costly to convert; use shorter repetitions and fewer alternatives")
      : thrown;
  }
}

function refusal(message: string): SchemaRefusal {
  return new SchemaRefusal(message, { keyword: null, pointer: "" });
}

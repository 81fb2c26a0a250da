/**
 * Builds the grammar of arguments in brackets: the declared properties in order, required ones always, with separators between those
 * that are written. Other constraints of the schema than types and `enum` are validated after the call is complete.
 */
import { literal, type RuleSet } from "../../../grammar/gbnf.js";
import { listProperties, listRequired } from "./parameters.js";
import type { NotationBody } from "./syntax.js";
import type { ArgumentsRules } from "./tagged-grammar.js";
import { createValueRules, addJsonString, verbatimString } from "./value-grammar.js";

export function createNotationRules(body: NotationBody, rules: RuleSet): ArgumentsRules {
  const { quote, assign, separator, escapes, nested, pythonWords } = body;
  const string = escapes ? addJsonString(rules) : verbatimString(quote, rules);
  const writeValue = createValueRules(
    {
      string: () => string,
      writeString: (value) => (escapes ? JSON.stringify(value) : `${quote}${value}${quote}`),
      nested: nested === "same" ? { assign, separator } : nested,
      pythonWords,
    },
    rules,
  );
  return {
    writeArguments(tool) {
      const required = listRequired(tool);
      // Rules of the properties from one on: before any is written, and after one is.
      let atStart = '""';
      let later = '""';
      for (const [key, schema] of [...listProperties(tool)].reverse()) {
        const member = rules.add(`${literal(`${key}${assign}`)} ${writeValue(schema)}`);
        const first = `${member} ${later}`;
        const next = `${literal(separator)} ${member} ${later}`;
        const isRequired = required.has(key);
        atStart = rules.add(isRequired ? first : `${first} | ${atStart}`);
        later = rules.add(isRequired ? next : `${next} | ${later}`);
      }
      return atStart;
    },
  };
}

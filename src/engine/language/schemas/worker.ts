/** The schemas worker thread: converts JSON Schemas to GBNF rules and validates texts against them. */
import { LRUCache } from "lru-cache";
import { schemaRules } from "../../../grammar/convert.js";
import { RuleSet } from "../../../grammar/gbnf.js";
import { parseSchemaText } from "../../../grammar/schema/json-text.js";
import { readSchema } from "../../../grammar/schema/read.js";
import { addRegularText, createRegularMatcher } from "../../../grammar/regular-text.js";
import { SchemaRefusal } from "../../../grammar/schema/refusal.js";
import { createValidator, type Problem } from "../../../grammar/schema/validate.js";
import { addWrittenGrammar, createMatcher } from "../../../grammar/written.js";
import { hostWorker } from "../../worker/host.js";
import {
  describePlace,
  type CheckOutcome,
  type ConvertOutcome,
  type RefusedSchema,
  type SchemaRequest,
  type WrittenSchema,
} from "./protocol.js";

type ConvertRequest = Extract<SchemaRequest, { type: "convert" }>;
type CheckRequest = Extract<SchemaRequest, { type: "check" }>;
/** @returns a sentence that says what is wrong with a text; null: nothing */
type Validator = (text: string) => string | null;

const validators = new LRUCache<string, Validator>({ max: 100 });

hostWorker<SchemaRequest>({ answer });

function answer(request: SchemaRequest): ConvertOutcome | CheckOutcome {
  try {
    return request.type === "convert" ? convert(request) : check(request);
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return refused(thrown);
    throw thrown;
  }
}

function refused({ message, keyword, pointer }: SchemaRefusal): RefusedSchema {
  return { type: "refused", message, keyword, pointer };
}

function convert({ language, written, prefix, closed }: ConvertRequest): ConvertOutcome {
  const book = new RuleSet({ prefix });
  if (language !== "schema") {
    const root = language === "gbnf" ? addWrittenGrammar(written, book) : addRegularText(written, book);
    return { type: "converted", converted: { rules: book.entries(root), root, exact: true } };
  }
  const { root, exact } = schemaRules(parseSchemaText(written), { additionalProperties: !closed }, book);
  return { type: "converted", converted: { rules: book.entries(root), root, exact } };
}

function check({ language, written, key, text }: CheckRequest): CheckOutcome {
  const validator = validators.get(key) ?? createTextValidator[language](written);
  validators.set(key, validator);
  return { type: "checked", problem: validator(text) };
}

const createTextValidator: Readonly<Record<WrittenSchema["language"], (written: string) => Validator>> = {
  schema(written) {
    const validate = createValidator(readSchema(parseSchemaText(written)));
    return (text) => {
      let value: unknown;
      try {
        value = parseSchemaText(text);
      } catch (thrown) {
        return `it is not JSON (${thrown instanceof Error ? thrown.message : ""})`;
      }
      const found = validate(value);
      return found === null ? null : sentence(found);
    };
  },
  gbnf(written) {
    const book = new RuleSet({ prefix: "g" });
    const matches = createMatcher(addWrittenGrammar(written, book), book.entries());
    // What is too wide to be followed here, the engine has followed.
    return (text) => (matches(text) === false ? "it does not match the grammar" : null);
  },
  regex(written) {
    const matches = createRegularMatcher(written);
    return (text) => (matches(text) ? null : "it does not match the regular expression");
  },
};

function sentence({ instancePointer, message, keyword, schemaPointer }: Problem): string {
  return `${instancePointer || "the value"}: ${message} (${describePlace(keyword, schemaPointer)})`;
}

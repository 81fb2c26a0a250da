/** The schemas worker thread: converts JSON Schemas to GBNF rules and validates texts against them. */
import { LRUCache } from "lru-cache";
import { schemaRules } from "../../../grammar/convert.js";
import { RuleSet } from "../../../grammar/gbnf.js";
import { parseSchemaText } from "../../../grammar/schema/json-text.js";
import { readSchema } from "../../../grammar/schema/read.js";
import { SchemaRefusal } from "../../../grammar/schema/refusal.js";
import { createValidator, type Problem } from "../../../grammar/schema/validate.js";
import { addWrittenGrammar, matchesRule } from "../../../grammar/written.js";
import { hostWorker } from "../../worker/host.js";
import {
  describePlace,
  type CheckOutcome,
  type ConvertOutcome,
  type RefusedSchema,
  type SchemaRequest,
} from "./protocol.js";

type ConvertRequest = Extract<SchemaRequest, { type: "convert" }>;
type CheckRequest = Extract<SchemaRequest, { type: "check" }>;
type Validator = (value: unknown) => Problem | null;

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
  if (language === "grammar") {
    const root = addWrittenGrammar(written, book);
    return { type: "converted", converted: { rules: book.entries(root), root, exact: true } };
  }
  const { root, exact } = schemaRules(parseSchemaText(written), { additionalProperties: !closed }, book);
  return { type: "converted", converted: { rules: book.entries(root), root, exact } };
}

function check(request: CheckRequest): CheckOutcome {
  return {
    type: "checked",
    problem: request.language === "grammar" ? followed(request) : validated(request),
  };
}

function followed({ written, text }: CheckRequest): string | null {
  const book = new RuleSet({ prefix: "g" });
  const root = addWrittenGrammar(written, book);
  return matchesRule(text, root, book.entries(root)) ? null : "it does not match the grammar";
}

function validated({ written, key, text }: CheckRequest): string | null {
  let value: unknown;
  try {
    value = parseSchemaText(text);
  } catch (thrown) {
    return `it is not JSON (${thrown instanceof Error ? thrown.message : ""})`;
  }
  const validator = validators.get(key) ?? createValidator(readSchema(parseSchemaText(written)));
  validators.set(key, validator);
  const found = validator(value);
  return found === null ? null : sentence(found);
}

function sentence({ instancePointer, message, keyword, schemaPointer }: Problem): string {
  return `${instancePointer || "the value"}: ${message} (${describePlace(keyword, schemaPointer)})`;
}

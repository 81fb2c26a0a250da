/** The schemas worker thread: converts JSON Schemas to GBNF rules and validates texts against them. */
import { LRUCache } from "lru-cache";
import { schemaRules } from "../../../grammar/convert.js";
import { RuleSet } from "../../../grammar/gbnf.js";
import { parseSchemaText } from "../../../grammar/schema/json-text.js";
import { readSchema } from "../../../grammar/schema/read.js";
import { SchemaRefusal } from "../../../grammar/schema/refusal.js";
import { createValidator, type Problem } from "../../../grammar/schema/validate.js";
import { hostWorker } from "../../worker/host.js";
import {
  describePlace,
  type CheckOutcome,
  type ConvertOutcome,
  type RefusedSchema,
  type SchemaRequest,
} from "./protocol.js";

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

function convert({ schema, prefix, closed }: Extract<SchemaRequest, { type: "convert" }>): ConvertOutcome {
  const book = new RuleSet({ prefix });
  const { root, exact } = schemaRules(parseSchemaText(schema), { additionalProperties: !closed }, book);
  return { type: "converted", converted: { rules: book.entries(root), root, exact } };
}

function check({ schema, key, text }: Extract<SchemaRequest, { type: "check" }>): CheckOutcome {
  let value: unknown;
  try {
    value = parseSchemaText(text);
  } catch (thrown) {
    return { type: "checked", problem: `it is not JSON (${thrown instanceof Error ? thrown.message : ""})` };
  }
  const validator = validators.get(key) ?? createValidator(readSchema(parseSchemaText(schema)));
  validators.set(key, validator);
  const found = validator(value);
  return { type: "checked", problem: found === null ? null : sentence(found) };
}

function sentence({ instancePointer, message, keyword, schemaPointer }: Problem): string {
  return `${instancePointer || "the value"}: ${message} (${describePlace(keyword, schemaPointer)})`;
}

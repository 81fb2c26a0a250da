/** The thread in which schemas are read and texts are judged; whoever owns it ends it when a piece of work takes too long. */
import { LRUCache } from "lru-cache";
import { schemaRules } from "../../grammar/convert.js";
import { RuleBook } from "../../grammar/gbnf.js";
import { readSchema } from "../../grammar/schema/read.js";
import { SchemaRefusal } from "../../grammar/schema/refusal.js";
import { createValidator, type Problem } from "../../grammar/schema/validate.js";
import { answerWork } from "../thread.js";
import type { SchemaOutcome, SchemaWork } from "./protocol.js";

type Validator = (value: unknown) => Problem | null;

const validators = new LRUCache<string, Validator>({ max: 100 });

answerWork(outcomeOf);

function outcomeOf(work: SchemaWork): SchemaOutcome {
  try {
    return work.type === "convert" ? convert(work) : check(work);
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) {
      const { message, keyword, pointer } = thrown;
      return { type: "refused", message, keyword, pointer };
    }
    return {
      type: "failed",
      cause: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
    };
  }
}

function convert({ schema, prefix, closed }: Extract<SchemaWork, { type: "convert" }>): SchemaOutcome {
  const book = new RuleBook({ prefix });
  const { root, exact } = schemaRules(schema, { additionalProperties: !closed }, book);
  return { type: "converted", converted: { rules: book.entries(root), root, exact } };
}

function check({ schema, key, text }: Extract<SchemaWork, { type: "check" }>): SchemaOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { type: "checked", wrong: `it is not JSON (${thrown instanceof Error ? thrown.message : ""})` };
  }
  const validator = validators.get(key) ?? createValidator(readSchema(schema));
  validators.set(key, validator);
  const problem = validator(value);
  const wrong = problem === null ? null : `${problem.instancePointer || "the value"}: ${problem.message}`;
  return { type: "checked", wrong };
}

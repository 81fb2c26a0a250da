/**
 * Converts one schema under both rules, compiles the grammar with llama.cpp and checks every test of the
 * file.
 */
import { readFileSync } from "node:fs";
import { convertSchema, type Conversion } from "../../../../src/grammar/convert.js";
import { parseSchemaText } from "../../../../src/grammar/schema/json-text.js";
import { SchemaRefusal } from "../../../../src/grammar/schema/refusal.js";
import { createValidator, type Validator } from "../../../../src/grammar/schema/validate.js";
import type { Compiled, Matcher } from "./matcher.js";
import { candidateTexts } from "./texts.js";
import type { Broken, Refused, Rule, SuiteCount, TestVerdict, Verdict, Verdicts } from "./verdict.js";

interface Test {
  readonly valid: boolean;
  readonly data: unknown;
  readonly description?: string;
}

type Alive = (stage: string) => void;

interface Ready {
  readonly conversion: Conversion;
  readonly convertMs: number;
  readonly compiled: Compiled;
  readonly validator: Validator;
}

export async function evaluateSchema(path: string, matcher: Matcher, alive: Alive): Promise<Verdicts> {
  const { schema, tests } = parseSchemaText(readFileSync(path, "utf8")) as {
    schema: unknown;
    tests?: Test[];
  };
  const evaluateUnder = async (rule: Rule): Promise<Verdict> => {
    const ready = await prepare(schema, rule, matcher, alive);
    if ("kind" in ready) return ready;
    const { conversion, convertMs, compiled } = ready;
    return {
      kind: conversion.exact ? "exact" : "checked",
      checked: conversion.checked.map(({ keyword }) => keyword),
      convertMs,
      compileMs: compiled.milliseconds,
      bytes: Buffer.byteLength(conversion.grammar),
      tests: (tests ?? []).map((test, index) => {
        alive(`${rule}: test ${index}`);
        return checkTest(ready, test);
      }),
    };
  };
  return { hosted: await evaluateUnder("hosted"), standard: await evaluateUnder("standard") };
}

/** Checks one file of the official suite, under the standard's rule and the dialect of its draft. */
export async function evaluateSuite(
  path: string,
  draft: string,
  matcher: Matcher,
  alive: Alive,
): Promise<SuiteCount> {
  const groups = parseSchemaText(readFileSync(path, "utf8")) as {
    description: string;
    schema: unknown;
    tests: Test[];
  }[];
  const count = { passed: 0, refused: 0, validRejected: 0, invalidAccepted: 0, threw: 0 };
  const failures: string[] = [];
  for (const { description, schema, tests } of groups) {
    const ready = await prepare(inDraft(schema, draft), "standard", matcher, alive);
    if ("kind" in ready) {
      count[ready.kind === "refused" ? "refused" : "threw"] += tests.length;
      failures.push(`${ready.kind}: ${description} (${tests.length} tests) ${ready.message}`);
      continue;
    }
    for (const test of tests) {
      alive(`${description}: ${test.description ?? ""}`);
      const outcome = compare(ready, test);
      count[outcome] += 1;
      if (outcome !== "passed") failures.push(`${outcome}: ${description}: ${test.description ?? ""}`);
    }
  }
  return { ...count, failures };
}

/** Adds `$schema` for the draft of the suite's folder, if the schema has none. */
function inDraft(schema: unknown, draft: string): unknown {
  if (typeof schema !== "object" || schema === null || "$schema" in schema) return schema;
  const version = draft.replace("draft", "");
  const $schema =
    version.length === 1
      ? `http://json-schema.org/draft-0${version}/schema#`
      : `https://json-schema.org/draft/${version}/schema`;
  return { $schema, ...schema };
}

function compare(ready: Ready, test: Test): "passed" | "validRejected" | "invalidAccepted" {
  const { generated, problem } = checkTest(ready, test);
  const accepted = generated && problem === null;
  if (accepted === test.valid) return "passed";
  return test.valid ? "validRejected" : "invalidAccepted";
}

async function prepare(
  schema: unknown,
  rule: Rule,
  matcher: Matcher,
  alive: Alive,
): Promise<Ready | Refused | Broken> {
  alive(`${rule}: convert`);
  const before = process.cpuUsage();
  let conversion: Conversion;
  let convertMs: number;
  let validator: Validator;
  try {
    conversion = convertSchema(schema, { additionalProperties: rule === "standard" });
    const { user, system } = process.cpuUsage(before);
    convertMs = (user + system) / 1000;
    validator = createValidator(conversion.node);
  } catch (thrown) {
    return failed(thrown);
  }
  alive(`${rule}: compile`);
  try {
    return { conversion, convertMs, validator, compiled: await matcher.compile(conversion.grammar) };
  } catch (thrown) {
    return { kind: "uncompiled", message: String(thrown) };
  }
}

function failed(thrown: unknown): Refused | Broken {
  if (thrown instanceof SchemaRefusal) {
    const { keyword, pointer, message } = thrown;
    return { kind: "refused", keyword, pointer, message };
  }
  return {
    kind: "threw",
    message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
  };
}

function checkTest({ conversion, compiled, validator }: Ready, test: Test): TestVerdict {
  const generated = candidateTexts(conversion.node, validator, test.data).some((text) =>
    compiled.accepts(text),
  );
  const found = validator(test.data);
  const problem = found && `${found.keyword} at #${found.schemaPointer}: ${found.message}`;
  return { valid: test.valid, generated, problem };
}

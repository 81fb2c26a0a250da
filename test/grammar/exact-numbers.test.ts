import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertSchema } from "../../src/grammar/convert.js";
import { jsonText, parseSchemaText } from "../../src/grammar/schema/json-text.js";
import type { JsonValue } from "../../src/grammar/schema/node.js";
import { createValidator } from "../../src/grammar/schema/validate.js";
import { SchemaRefusal } from "../../src/grammar/schema/refusal.js";
import { casesOf } from "../kit/setup/random-cases.js";
import { matchesGrammar, parseGbnf } from "../kit/grammar/gbnf-matcher.js";

/** Returns which texts the grammar and the validator of a schema accept; throws where they differ. */
function accepted(schema: string, texts: readonly string[]): readonly string[] {
  const { grammar, node, exact } = convertSchema(parseSchemaText(schema), { additionalProperties: true });
  expect(exact).toBe(true);
  const rules = parseGbnf(grammar);
  const validate = createValidator(node);
  const generated = texts.filter((text) => matchesGrammar(rules, text));
  const valid = texts.filter((text) => validate(parseSchemaText(text)) === null);
  expect(generated).toEqual(valid);
  return generated;
}

/** Returns why a schema is refused. */
function refusalOf(schema: string): Pick<SchemaRefusal, "keyword" | "pointer"> {
  try {
    convertSchema(parseSchemaText(schema), { additionalProperties: true });
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return { keyword: thrown.keyword, pointer: thrown.pointer };
    throw thrown;
  }
  throw new Error(`${schema} is not refused`);
}

const digits = (count: number) => fc.bigInt({ min: -(10n ** BigInt(count)), max: 10n ** BigInt(count) });
const integer = fc.integer({ min: 1, max: 25 }).chain(digits);
/** No double has 18 significant digits. */
const unkept = integer.filter((one) => String(one).length > 19 && one % 10n !== 0n);

function near(...values: readonly bigint[]): readonly bigint[] {
  const all = values.flatMap((one) => [one - 1n, one, one + 1n, -one, BigInt(Number(one))]);
  return [...new Set([...all, 0n])];
}

describe("an integer of any number of digits in a schema", () => {
  it("is an exact bound: the grammar and the validator accept what is between the bounds and nothing else", () => {
    fc.assert(
      fc.property(integer, unkept, (one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        const schema = `{"type":"integer","minimum":${low},"maximum":${high}}`;
        const right = near(one, other).filter((value) => value >= low && value <= high);
        expect(accepted(schema, near(one, other).map(String))).toEqual(right.map(String));
      }),
      { numRuns: casesOf(80) },
    );
  });

  it("is an exact exclusive bound", () => {
    fc.assert(
      fc.property(unkept, unkept, (one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        fc.pre(high - low > 1n);
        const schema = `{"type":"integer","exclusiveMinimum":${low},"exclusiveMaximum":${high}}`;
        const right = near(one, other).filter((value) => value > low && value < high);
        expect(accepted(schema, near(one, other).map(String))).toEqual(right.map(String));
      }),
      { numRuns: casesOf(100) },
    );
  });

  it("is an exact value of const and enum, also within objects, and of their complements", () => {
    fc.assert(
      fc.property(integer, unkept, (one, other) => {
        const texts = near(one, other).map(String);
        expect(accepted(`{"const":${one}}`, texts)).toEqual([String(one)]);
        const both = new Set([String(one), String(other)]);
        expect(new Set(accepted(`{"enum":[${one},${other}]}`, texts))).toEqual(both);
        const objects = texts.map((text) => `{"a": [${text}]}`);
        expect(accepted(`{"const":{"a":[${other}]}}`, objects)).toEqual([`{"a": [${other}]}`]);
        const excluding = `{"type":"integer","minimum":${other},"maximum":${other + 9n},"not":{"const":${other + 1n}}}`;
        expect(
          accepted(
            excluding,
            [0n, 1n, 2n].map((add) => String(other + add)),
          ),
        ).toEqual([0n, 2n].map((add) => String(other + add)));
      }),
      { numRuns: casesOf(120) },
    );
  });

  it("is kept by a text that is read and written", () => {
    fc.assert(
      fc.property(fc.jsonValue(), unkept, (value, one) => {
        const text = JSON.stringify({ value, list: [value, 1] }).replace(/1\]\}$/, `${one}]}`);
        expect(jsonText(parseSchemaText(text) as JsonValue)).toBe(text);
      }),
      { numRuns: casesOf(400) },
    );
  });
});

describe("a number that no double keeps", () => {
  it.each([
    ['{"const":9007199254740993}', ["9007199254740993"], ["9007199254740992", "9007199254740994"]],
    ['{"const":9007199254740993.0}', ["9007199254740993"], ["9007199254740992"]],
    ['{"const":1.2345678901234567891e19}', ["12345678901234567891"], ["12345678901234567000"]],
    ['{"const":0.1234567890123456789}', ["0.1234567890123456789"], ["0.12345678901234568"]],
    [
      '{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}',
      ["-9223372036854775808", "9223372036854775807", "0", "-1", "9223372036854775806"],
      ["-9223372036854775809", "9223372036854775808", "-9223372036854776000", "1.5"],
    ],
    [
      '{"type":"integer","minimum":0,"exclusiveMaximum":18446744073709551616}',
      ["18446744073709551615", "0"],
      ["18446744073709551616", "18446744073709552000"],
    ],
    [
      '{"type":"number","minimum":0.12345678901234567891,"maximum":0.12345678901234567893}',
      ["0.12345678901234567891", "0.12345678901234567892", "0.12345678901234567893"],
      ["0.12345678901234568", "0.12345678901234567890", "0.1"],
    ],
    [
      '{"type":"number","exclusiveMinimum":0.12345678901234567891,"exclusiveMaximum":0.12345678901234567892}',
      ["0.123456789012345678915"],
      ["0.12345678901234567891", "0.12345678901234567892"],
    ],
    [
      '{"minimum":9007199254740993,"maximum":9007199254740995,"multipleOf":1,"type":"integer"}',
      ["9007199254740993", "9007199254740994", "9007199254740995"],
      ["9007199254740992", "9007199254740996"],
    ],
    [
      '{"type":"integer","exclusiveMinimum":9007199254740992,"maximum":9007199254740993}',
      ["9007199254740993"],
      ["9007199254740992", "9007199254740994"],
    ],
    ['{"enum":[9007199254740993,"9007199254740993"]}', ['"9007199254740993"'], ["9007199254740992"]],
  ])("is compared by its digits: %s", (schema, yes, no) => {
    expect(accepted(schema, [...yes, ...no])).toEqual(yes);
  });

  it.each([
    ['{"multipleOf":9007199254740993}', "multipleOf", ""],
    ['{"properties":{"a/b":{"minLength":9007199254740993}}}', "minLength", "/properties/a~1b"],
    ['{"items":{"maximum":1e400}}', "maximum", "/items"],
    ['{"items":[{"const":[0,-1e400]}]}', "const", "/items/0"],
    ['{"minimum":1e-400}', "minimum", ""],
    [`{"maximum":0.${"123456789".repeat(100)}}`, "maximum", ""],
  ])("is refused by keyword and position where it is not supported: %s", (schema, keyword, pointer) => {
    expect(refusalOf(schema)).toEqual({ keyword, pointer });
  });

  it("is compared by its digits in an answer, however the answer writes it", () => {
    const { node } = convertSchema(parseSchemaText('{"const":9007199254740993}'), {
      additionalProperties: true,
    });
    const validate = createValidator(node);
    const isValid = (text: string): boolean => validate(parseSchemaText(text)) === null;
    const right = ["9007199254740993", "9007199254740993.0", "9.007199254740993e15", "900719925474099300E-2"];
    const wrong = [
      "9007199254740992",
      "9007199254740993.5",
      "9007199254740994e0",
      "1e400",
      "-9007199254740993",
    ];
    expect([...right, ...wrong].filter(isValid)).toEqual(right);
  });
});

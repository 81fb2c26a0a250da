import type { z } from "zod";

const types: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "settings by name",
  record: "settings by name",
  null: "nothing",
};

/** Returns what a value must be, in words. The settings that have words of their own keep them. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too |Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "invalid_type":
      return `must be ${types[issue.expected] ?? `of the type ${issue.expected}`}`;
    case "too_small":
      return describeLimit(issue.origin, "at least", Number(issue.minimum));
    case "too_big":
      return describeLimit(issue.origin, "at most", Number(issue.maximum));
    case "invalid_format":
      return `must be ${issue.format === "url" ? "a URL, such as https://example.com" : `of the form ${issue.format}`}`;
    case "unrecognized_keys":
      return `there is no such setting: ${issue.keys.join(", ")}`;
    case "invalid_union":
      return describeUnion(issue);
    default:
      return issue.message;
  }
}

/** Describes the last form, which is the usual one, after the words that may stand in its place. */
function describeUnion({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const [usual] = errors.at(-1) ?? [];
  if (usual === undefined) return "has a form that no setting has";
  const words = errors
    .slice(0, -1)
    .flat()
    .flatMap((issue) => (issue.code === "invalid_value" ? issue.values : []))
    .filter((value) => typeof value === "string" && /[a-z]/.test(value));
  const text = describeIssue(usual);
  if (words.length === 0 || usual.code === "invalid_value") return text;
  return text.replace(/^must be /, `must be ${words.join(" or ")}, or `);
}

function describeLimit(origin: string, bound: string, limit: number): string {
  const count = limit.toLocaleString("en");
  if (origin === "string")
    return limit === 1 && bound === "at least"
      ? "must not be empty"
      : `must have ${bound} ${count} characters`;
  if (origin === "array" || origin === "set")
    return `must have ${bound} ${count} ${limit === 1 ? "item" : "items"}`;
  return `must be ${bound} ${count}`;
}

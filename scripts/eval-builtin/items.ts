import { readFile } from "node:fs/promises";
import { z } from "zod";

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

const toolCall = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

/** On the wire arguments are JSON text; items may have them as objects, for the template's sake. */
const calledArguments = z.union([
  z.string(),
  z.record(z.string(), z.unknown()).transform((object) => JSON.stringify(object)),
]);

const message = z.looseObject({
  role: z.string(),
  content: z.unknown(),
  tool_calls: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), arguments: calledArguments }) }))
    .optional(),
});

const item = z.object({
  skill: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z.array(z.looseObject({})).optional(),
  response_format: z.looseObject({ type: z.string() }).optional(),
  reasoning: z.boolean(),
  expect: z.strictObject({
    /** The whole answer, quotes around it aside. */
    exact: z.string().optional(),
    /** Every one of these is in the answer, be it within a word. */
    contains: texts.optional(),
    /** Every one of these is in the answer as whole words. */
    words: texts.optional(),
    /** At least one of these is, as whole words. */
    anyOf: texts.optional(),
    /** None of these is, as whole words. */
    without: texts.optional(),
    /** This number is in the answer, and no other than those that the question has. */
    number: z.number().optional(),
    /** The first number of the answer. */
    firstNumber: z.number().optional(),
    /** The answer is JSON and means this. */
    json: z.unknown().optional(),
    /** The calls that the answer makes, in any order, with these arguments where they are given; without it, none may be made. */
    toolCalls: z.array(toolCall).optional(),
    /** Whether there is a thought before the answer. */
    thinks: z.boolean().optional(),
    /** Whether the model ends its turn by itself. */
    ends: z.boolean().optional(),
  }),
});

/** One question of the evaluation and what a good answer is like. */
export type Item = z.infer<typeof item>;
export type Expectation = Item["expect"];

/** Reads a JSON Lines file of items. @throws Error naming the line and field that is wrong. */
export async function readItems(path: string): Promise<readonly Item[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const parsed = item.safeParse(parseLine(line));
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    throw new Error(`line ${index + 1}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not an item"}`);
  });
}

/** What the user says last. */
export function askedText({ messages }: Pick<Item, "messages">): string {
  const last = messages.findLast(({ role }) => role === "user");
  return typeof last?.content === "string" ? last.content : "";
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

import { readFile } from "node:fs/promises";
import { z } from "zod";

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

const toolCall = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

/** Arguments are JSON text on the wire; items may have them as objects, for the chat template. */
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
    /** The whole answer, without surrounding quotes. */
    exact: z.string().optional(),
    /** The answer contains all of these, also inside words. */
    contains: texts.optional(),
    /** The answer contains all of these as whole words. */
    words: texts.optional(),
    /** The answer contains at least one of these as a whole word. */
    anyOf: texts.optional(),
    /** The answer contains none of these as whole words. */
    without: texts.optional(),
    /** The answer contains this number, and no other number except the numbers of the question. */
    number: z.number().optional(),
    /** The first number of the answer. */
    firstNumber: z.number().optional(),
    /** The answer is JSON with this value. */
    json: z.unknown().optional(),
    /**
     * The tool calls of the answer, in any order, with these arguments where given; if absent, no call is
     * allowed.
     */
    toolCalls: z.array(toolCall).optional(),
    /** Whether there is reasoning before the answer. */
    thinks: z.boolean().optional(),
    /** Whether the model ends its turn by itself. */
    ends: z.boolean().optional(),
  }),
});

/** One question of the evaluation and the expectations for its answer. */
export type Item = z.infer<typeof item>;
export type Expectation = Item["expect"];

/** Reads a JSON Lines file of items. @throws Error with the line and field at fault */
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

/** Returns the user's last message. */
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

/** What the clients of every family ask the built-in model, and what their answers are measured by. */
import { z } from "zod";

/** The built-in model answers it by calling the tool below, where it is given one. */
export const question = "What is the weather in Paris?";
export const greeting = "Hello!";

export const place = z.object({ city: z.string().min(1).max(20) });
export const person = z.object({
  name: z.string().max(8),
  mood: z.enum(["glad", "sad"]),
  age: z.number().int().min(0).max(99),
  tags: z.array(z.enum(["a", "b"])).max(2),
});
/** Bounded by types alone: some clients take bounds and choices of texts out of a schema before they send it. */
export const report = z.object({ sunny: z.boolean(), windy: z.boolean() });

export const weather = { name: "get_weather", description: "Get the weather in a city" } as const;

/** The error that a call ends with. @throws Error when it was answered instead. */
export async function rejection(asked: PromiseLike<unknown>): Promise<unknown> {
  try {
    await asked;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("the request was answered");
}

/** All that a stream gives. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

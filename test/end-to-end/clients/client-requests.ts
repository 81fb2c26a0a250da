/** Requests that the tests send to the built-in model with every client, and the schemas of the expected answers. */
import { z } from "zod";

/** The built-in model answers it by calling the tool below, if the request contains it. */
export const question = "What is the weather in Paris?";
export const greeting = "Hello!";

export const place = z.object({ city: z.string().min(1).max(20) });
export const person = z.object({
  name: z.string().max(8),
  mood: z.enum(["glad", "sad"]),
  age: z.number().int().min(0).max(99),
  tags: z.array(z.enum(["a", "b"])).max(2),
});
/** Constrained only by types: some clients remove limits and enums from a schema before they send it. */
export const report = z.object({ sunny: z.boolean(), windy: z.boolean() });

export const weather = { name: "get_weather", description: "Get the weather in a city" } as const;

/** Returns the error with which a call fails. @throws Error if the call succeeds. */
export async function rejection(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("the request was answered");
}

/** Returns all elements of a stream. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

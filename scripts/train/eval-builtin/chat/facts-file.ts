import { readFile } from "node:fs/promises";
import { z } from "zod";

const fact = z.object({
  /** Such as `capital`. */
  kind: z.string(),
  /** Such as `France`. */
  subject: z.string(),
  /** Such as `Paris`. */
  answer: z.union([z.string(), z.number()]).transform(String),
});

/** One fact of the closed list that the training teaches. */
export type Fact = z.infer<typeof fact>;

/** Reads the list; empty if there is no file. @throws Error if the file is invalid */
export async function readFacts(path: string): Promise<readonly Fact[]> {
  const text = await readFile(path, "utf8").catch(() => "[]");
  return z.array(fact).parse(JSON.parse(text));
}

/** Reads what a batch is for from its input. */
import { createInterface } from "node:readline";
import { z } from "zod";
import { openRegularFile } from "../../system/regular-file.js";

const lineCharsMax = 10_000_000;
const lineSchema = z.object({ url: z.string() });

/** Returns the route of the first request in a file. @throws Error if its first line is not a request. */
export async function readFirstUrl(path: string): Promise<string> {
  const input = (await openRegularFile(path)).createReadStream({ end: lineCharsMax });
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const first = await lines.next();
  input.destroy();
  const parsed = lineSchema.safeParse(first.done === true ? null : parseJson(first.value));
  if (parsed.success) return parsed.data.url;
  throw new Error(`the first line of ${path} is no request: {"custom_id", "method", "url", "body"}`);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

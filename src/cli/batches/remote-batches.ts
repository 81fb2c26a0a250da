/** Creates, lists, finds and cancels batches on a server. */
import { createInterface } from "node:readline";
import { z } from "zod";
import type { OnProgress } from "../../core/report/progress.js";
import { resolveReference } from "../../core/resolve-reference.js";
import type { WireBatch } from "../../http/inference/batches/present-openai.js";
import { askServer, ServerError, type ChatServer } from "../server/client.js";
import { removeFile, uploadFile } from "./transfer.js";
import { openRegularFile } from "../../system/regular-file.js";

const pageMax = 100;
/** A whole ID: `batch_` and 32 digits. */
const idChars = 38;
/** The newest batches, among which the beginning of an ID is searched. */
const searchedMax = 1000;

/**
 * Uploads a file and creates a batch of it; nothing is left of the upload when the batch is refused.
 * @param endpoint route of the requests; null: the route of the first one
 */
export async function uploadBatch(
  server: ChatServer,
  path: string,
  endpoint: string | null,
  onProgress: OnProgress,
): Promise<WireBatch> {
  const route = endpoint ?? (await readFirstUrl(path));
  const file = await uploadFile(server, path, "batch", onProgress);
  return createBatch(server, file.id, route).catch(async (thrown: unknown) => {
    // Without an answer of the server, the batch may exist.
    if (thrown instanceof ServerError) await removeFile(server, file.id).catch(() => undefined);
    throw thrown;
  });
}

function createBatch(server: ChatServer, fileId: string, endpoint: string): Promise<WireBatch> {
  const body = { input_file_id: fileId, endpoint, completion_window: "24h" };
  return askServer(server, "/v1/batches", { method: "POST", body });
}

/** @param reference the ID or its beginning */
export async function findBatch(server: ChatServer, reference: string): Promise<WireBatch> {
  return askServer(server, await toPath(server, reference));
}

/** Lists the newest batches of the team. */
export async function listNewestBatches(server: ChatServer, limit: number): Promise<readonly WireBatch[]> {
  const all: WireBatch[] = [];
  for (let hasMore = true; hasMore && all.length < limit;) {
    const last = all.at(-1);
    const after = last === undefined ? "" : `&after=${last.id}`;
    const count = Math.min(pageMax, limit - all.length);
    const page = await askServer<BatchPage>(server, `/v1/batches?limit=${count}${after}`);
    all.push(...page.data);
    hasMore = page.has_more;
  }
  return all;
}

interface BatchPage {
  readonly data: readonly WireBatch[];
  readonly has_more: boolean;
}

/** Ends a batch early. */
export async function endBatch(server: ChatServer, reference: string): Promise<WireBatch> {
  return askServer(server, `${await toPath(server, reference)}/cancel`, { method: "POST" });
}

async function toPath(server: ChatServer, reference: string): Promise<string> {
  const isWhole = reference.length >= idChars;
  const batches = isWhole ? [] : await listNewestBatches(server, searchedMax);
  const describe = ({ status }: WireBatch): string => status;
  const id = isWhole ? reference : resolveReference("batch", reference, batches, () => false, describe).id;
  return `/v1/batches/${encodeURIComponent(id)}`;
}

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

/** Creates, lists, finds and cancels batches on a server. */
import type { WireBatch } from "../../http/inference/batches/present-openai.js";
import { askServer, ServerError, type ChatServer } from "../server/client.js";
import { readFirstUrl } from "./input.js";
import { removeFile, uploadFile } from "./transfer.js";

const pageMax = 100;

/**
 * Uploads a file and creates a batch of it; nothing is left of the upload when the batch is refused.
 * @param endpoint route of the requests; null: the route of the first one
 */
export async function uploadBatch(
  server: ChatServer,
  path: string,
  endpoint: string | null,
): Promise<WireBatch> {
  const route = endpoint ?? (await readFirstUrl(path));
  const file = await uploadFile(server, path, "batch");
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

export function findBatch(server: ChatServer, id: string): Promise<WireBatch> {
  return askServer(server, toPath(id));
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
export function endBatch(server: ChatServer, id: string): Promise<WireBatch> {
  return askServer(server, `${toPath(id)}/cancel`, { method: "POST" });
}

function toPath(id: string): string {
  return `/v1/batches/${encodeURIComponent(id)}`;
}

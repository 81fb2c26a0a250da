/** Creates, lists, finds and cancels batches on a server. */
import { z } from "zod";
import { getJson, request, type ChatServer } from "../chat-client.js";
import { ServerError } from "../server/server-error.js";
import { readFirstUrl } from "./input.js";
import { deleteFile, uploadFile } from "./transfer.js";

const seconds = z.number().nullable();
const batchSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  endpoint: z.string(),
  errors: z
    .object({ data: z.array(z.object({ message: z.string(), line: z.number().nullable() })) })
    .nullable(),
  input_file_id: z.string(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: z.number(),
  expires_at: z.number(),
  completed_at: seconds,
  failed_at: seconds,
  expired_at: seconds,
  cancelled_at: seconds,
  request_counts: z.object({ total: z.number(), completed: z.number(), failed: z.number() }),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
});
const pageSchema = z.object({ data: z.array(batchSchema), has_more: z.boolean() });

/** A batch as the server describes it; times are in seconds. */
export type Batch = z.infer<typeof batchSchema>;

const pageMax = 100;

/**
 * Uploads a file and creates a batch of it; nothing is left of the upload when the batch is refused.
 * @param endpoint route of the requests; null: the route of the first one
 */
export async function uploadBatch(server: ChatServer, path: string, endpoint: string | null): Promise<Batch> {
  const route = endpoint ?? (await readFirstUrl(path));
  const file = await uploadFile(server, path, "batch");
  return createBatch(server, file.id, route).catch(async (thrown: unknown) => {
    // Without an answer of the server, the batch may exist.
    if (thrown instanceof ServerError) await deleteFile(server, file.id).catch(() => undefined);
    throw thrown;
  });
}

async function createBatch(server: ChatServer, fileId: string, endpoint: string): Promise<Batch> {
  const response = await request(server, "/v1/batches", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input_file_id: fileId, endpoint, completion_window: "24h" }),
  });
  return batchSchema.parse(await response.json());
}

export async function findBatch(server: ChatServer, id: string): Promise<Batch> {
  return batchSchema.parse(await getJson(server, toPath(id)));
}

export async function listBatches(server: ChatServer, limit: number): Promise<readonly Batch[]> {
  const all: Batch[] = [];
  for (let hasMore = true; hasMore && all.length < limit;) {
    const last = all.at(-1);
    const after = last === undefined ? "" : `&after=${last.id}`;
    const count = Math.min(pageMax, limit - all.length);
    const page = pageSchema.parse(await getJson(server, `/v1/batches?limit=${count}${after}`));
    all.push(...page.data);
    hasMore = page.has_more;
  }
  return all;
}

/** Ends a batch early. */
export async function cancelBatch(server: ChatServer, id: string): Promise<Batch> {
  const response = await request(server, `${toPath(id)}/cancel`, { method: "POST" });
  return batchSchema.parse(await response.json());
}

function toPath(id: string): string {
  return `/v1/batches/${encodeURIComponent(id)}`;
}

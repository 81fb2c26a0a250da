/** Lists and cancels requests of a running server. */
import { z } from "zod";
import { getJson, request, type ChatServer } from "../chat-client.js";

const requestSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  apiKeyId: z.string(),
  apiKeyName: z.string().optional(),
  model: z.string(),
  endpoint: z.string(),
  createTime: z.string(),
  firstTokenTime: z.string().optional(),
  endTime: z.string().optional(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  reasoningTokens: z.number(),
  costUsd: z.string(),
});
const pageSchema = z.object({ requests: z.array(requestSchema), paginationToken: z.string().optional() });

/** A request as the server describes it. */
export type LoggedRequest = z.infer<typeof requestSchema>;

const messageSchema = z.looseObject({
  role: z.string(),
  parts: z.array(z.looseObject({ type: z.string() })),
});
const detailsSchema = requestSchema.extend({
  bodies: z
    .object({
      input: z.array(messageSchema),
      output: z.array(messageSchema),
      isCut: z.boolean(),
      expireTime: z.string(),
    })
    .optional(),
});

/** A request with what it and its answer had, where that was kept. */
export type RequestDetails = z.infer<typeof detailsSchema>;
export type KeptMessage = z.infer<typeof messageSchema>;

/** Which requests are listed, by the names of the query. */
export type RequestFilter = Readonly<Record<string, string>>;

const pageMax = 1000;

/** Returns the newest requests that match. @throws Error with the server's message. */
export async function listRequests(
  server: ChatServer,
  filter: RequestFilter,
  limit: number,
): Promise<readonly LoggedRequest[]> {
  const found: LoggedRequest[] = [];
  for (let token = ""; found.length < limit;) {
    const size = { pageSize: String(Math.min(pageMax, limit - found.length)) };
    const query = new URLSearchParams({ ...filter, ...size, paginationToken: token });
    const page = pageSchema.parse(await getJson(server, `/admin/requests?${query.toString()}`));
    found.push(...page.requests);
    if (page.paginationToken === undefined) break;
    token = page.paginationToken;
  }
  return found;
}

/** Returns one request. @throws Error with the server's message. */
export async function getRequest(server: ChatServer, id: string): Promise<RequestDetails> {
  return detailsSchema.parse(await getJson(server, `/admin/requests/${encodeURIComponent(id)}`));
}

/** Deletes what was kept of a request and its answer. @throws Error with the server's message. */
export async function deleteBodies(server: ChatServer, id: string): Promise<void> {
  const path = `/admin/requests/${encodeURIComponent(id)}/bodies`;
  await (await request(server, path, { method: "DELETE" })).arrayBuffer();
}

/** Ends a request in progress. @throws Error with the server's message. */
export async function cancelRequest(server: ChatServer, id: string): Promise<LoggedRequest> {
  const path = `/admin/requests/${encodeURIComponent(id)}/cancel`;
  return requestSchema.parse(await (await request(server, path, { method: "POST" })).json());
}

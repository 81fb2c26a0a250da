/** The log of requests, those in progress included. */
import type { z } from "zod";
import type { requestSchema, requestWithBodiesSchema } from "../../http/management/requests/requests.js";
import { get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type LoggedRequest = z.infer<typeof requestSchema>;
/** A request with what it and its answer had, where that is kept. */
export type RequestDetails = z.infer<typeof requestWithBodiesSchema>;
export type RequestBodies = NonNullable<RequestDetails["bodies"]>;
export type RequestStatus = LoggedRequest["status"];

export interface RequestFilter {
  readonly teamId: string;
  readonly text: string;
  readonly status: RequestStatus | "";
  readonly apiKeyId: string;
  readonly model: string;
  /** Accepted since then, in milliseconds since 1970; null: at any time. */
  readonly since: number | null;
}

export const requestsPerPage = 50;
/** With a filter, a page of the server can be empty although there is a next one: this many are asked for until one has requests. */
const pagesMax = 20;

/** Lists requests, the newest first. */
export async function listRequests(
  { teamId, text, status, apiKeyId, model, since }: RequestFilter,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<LoggedRequest>> {
  type Answer = { requests: readonly LoggedRequest[]; paginationToken?: string };
  const query = {
    pageSize: requestsPerPage,
    teamId,
    query: text,
    status,
    apiKeyId,
    model,
    since: since === null ? undefined : new Date(since).toISOString(),
  };
  let next = token;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await get<Answer>("/admin/requests", { ...query, paginationToken: next }, signal);
    next = answer.paginationToken;
    if (answer.requests.length > 0 || next === undefined) return { items: answer.requests, next };
  }
  return { items: [], next };
}

export function getRequest(id: string, signal?: AbortSignal): Promise<RequestDetails> {
  return get(`/admin/requests/${encodeURIComponent(id)}`, {}, signal);
}

/** Deletes what was kept of a request and its answer. */
export function deleteBodies(id: string): Promise<unknown> {
  return request("DELETE", `/admin/requests/${encodeURIComponent(id)}/bodies`);
}

/** Ends a request in progress. @returns the request, settled */
export function cancelRequest(id: string): Promise<LoggedRequest> {
  return request("POST", `/admin/requests/${encodeURIComponent(id)}/cancel`);
}

/** Whether it waits or runs. */
export function isLive({ status }: LoggedRequest): boolean {
  return status === "queued" || status === "running";
}

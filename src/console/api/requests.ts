/** The log of requests, those in progress included. */
import type { WireRequest, WireRequestDetails } from "../../http/management/requests/requests.js";
import { get } from "../lib/client.js";
import { getPage, type Page } from "../lib/resource.js";

export interface RequestLogQuery {
  readonly teamId: string;
  readonly query: string;
  readonly status: WireRequest["status"] | "";
  readonly apiKeyId: string;
  readonly model: string;
  /** Accepted since then, RFC 3339; empty: at any time. */
  readonly since: string;
}

/** Lists requests, the newest first. */
export function loadRequests(
  query: RequestLogQuery,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<WireRequest>> {
  return getPage("/admin/requests", "requests", { ...query }, token, signal);
}

/** Loads a request, with what it and its answer had where that is kept. */
export function loadRequest(id: string, signal?: AbortSignal): Promise<WireRequestDetails> {
  return get(toRequestPath(id), {}, signal);
}

export function toRequestPath(id: string): string {
  return `/admin/requests/${encodeURIComponent(id)}`;
}

/** Whether it waits or runs. */
export function isLive({ status }: WireRequest): boolean {
  return status === "queued" || status === "running";
}

/** What a team has stored: deferred completions, responses, chat completions, batches and files. */
import type { z } from "zod";
import type { storedObjectSchema } from "../../http/management/stored/stored.js";
import { download, get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type StoredObject = z.infer<typeof storedObjectSchema>;
export type StoredKind = StoredObject["kind"];

export interface StoredFilter {
  readonly text: string;
  readonly state: string;
  readonly background: "" | "true" | "false";
}

const objectsPerPage = 50;
/** With a filter, a page of the server can be empty although there is a next one: this many are asked for until one has objects. */
const pagesMax = 20;

/** Lists objects of a kind, the newest first. */
export async function listStored(
  teamId: string,
  kind: StoredKind,
  { text, state, background }: StoredFilter,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<StoredObject>> {
  type Answer = { objects: readonly StoredObject[]; paginationToken?: string };
  const query = { pageSize: objectsPerPage, query: text, state, background };
  let next = token;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await get<Answer>(
      `/admin/teams/${teamId}/${kind}`,
      { ...query, paginationToken: next },
      signal,
    );
    next = answer.paginationToken;
    if (answer.objects.length > 0 || next === undefined) return { items: answer.objects, next };
  }
  return { items: [], next };
}

export function cancelStored(object: StoredObject): Promise<StoredObject> {
  return request("POST", `${toPath(object)}/cancel`);
}

export function deleteStored(object: StoredObject): Promise<unknown> {
  return request("DELETE", toPath(object));
}

/** Downloads a file, the output of a batch, or an answer. */
export function downloadStored(object: StoredObject): Promise<void> {
  const { kind, id, filename } = object;
  const name = kind === "batches" ? `${id}_output.jsonl` : (filename ?? `${id}.json`);
  return download(`${toPath(object)}/content`, name);
}

/** Downloads the errors of a batch. */
export function downloadErrors({ id, errorFileId = "" }: StoredObject): Promise<void> {
  return download(`/admin/files/${encodeURIComponent(errorFileId)}/content`, `${id}_errors.jsonl`);
}

function toPath({ kind, id }: StoredObject): string {
  return `/admin/${kind}/${encodeURIComponent(id)}`;
}

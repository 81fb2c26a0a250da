/** Data of the server in a component: loaded, loaded again, and loaded page by page. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, type Query } from "./client.js";

export interface Resource<Value> {
  /** null until it is loaded for the first time. It stays while it is loaded again. */
  readonly value: Value | null;
  /** Why the last load failed. */
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads a value, and again when one of `inputs` changes; a load that is overtaken is aborted and its answer ignored.
 * @param refreshMs loads it again so often while the page is visible
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  refreshMs?: number,
): Resource<Value> {
  const [state, setState] = useState<Omit<Resource<Value>, "reload">>({
    value: null,
    error: null,
    isLoading: true,
  });
  const [count, setCount] = useState(0);
  const lastInputs = useRef(inputs);
  useEffect(() => {
    const abort = new AbortController();
    const isOther = lastInputs.current.some((input, index) => input !== inputs[index]);
    lastInputs.current = inputs;
    setState((state) => ({ ...state, value: isOther ? null : state.value, isLoading: true }));
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value, error: null, isLoading: false }),
      (error: unknown) =>
        !abort.signal.aborted && setState((state) => ({ ...state, error: toError(error), isLoading: false })),
    );
    return () => abort.abort();
  }, [...inputs, count]);
  const reload = useCallback(() => setCount((count) => count + 1), []);
  useEvery(refreshMs, reload);
  return { ...state, reload };
}

/** Calls a function again and again while the page is visible. @param everyMs undefined: never */
function useEvery(everyMs: number | undefined, run: () => void): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => document.visibilityState === "visible" && run(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, run]);
}

/** Loads what a path of the API answers. `refreshMs` as for `useResource`. */
export function useGet<Value>(path: string, query: Query = {}, refreshMs?: number): Resource<Value> {
  const load = (signal: AbortSignal) => get<Value>(path, query, signal);
  return useResource(load, [path, JSON.stringify(query)], refreshMs);
}

/** Loads the list in a field of an answer. */
export function useList<Item>(
  path: string,
  field: string,
  query: Query = {},
  refreshMs?: number,
): Resource<readonly Item[]> {
  const answer = useGet<Readonly<Record<string, readonly Item[]>>>(path, query, refreshMs);
  return { ...answer, value: answer.value?.[field] ?? null };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** Items of a page. */
export const pageSize = 50;

/** With a filter, a page of the server can be empty although there is a next one: this many are asked for until one has items. */
const emptyPagesMax = 20;

/** Loads a page of a list. @param field has the items in answers. @param token of the page; undefined: the first one */
export async function getPage<Item>(
  path: string,
  field: string,
  query: Query,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<Item>> {
  let next = token;
  for (let page = 0; page < emptyPagesMax; page++) {
    // The audit log has other names for tokens.
    const answer = await get<Readonly<Record<string, unknown>>>(
      path,
      { pageSize, ...query, [path.startsWith("/audit/") ? "pageToken" : "paginationToken"]: next },
      signal,
    );
    next = (answer["paginationToken"] ?? answer["nextPageToken"]) as string | undefined;
    const items = answer[field] as readonly Item[];
    if (items.length > 0 || next === undefined) return { items, next };
  }
  return { items: [], next };
}

export interface PagedResource<Item> extends Resource<readonly Item[]> {
  /** Loads the next page and adds it at the end; null when there is none. */
  readonly loadMore: (() => void) | null;
}

/** Loads a list page by page. `reload` loads as many pages again as are shown. @param field has the items in answers */
export function usePages<Item>(
  path: string,
  field: string,
  query: Query = {},
  refreshMs?: number,
): PagedResource<Item> {
  const [count, setCount] = useState(1);
  const key = JSON.stringify([path, query]);
  const lastKey = useRef(key);
  const pageCount = lastKey.current === key ? count : 1;
  useEffect(() => {
    lastKey.current = key;
    setCount(1);
  }, [key]);
  const loadAll = async (signal: AbortSignal): Promise<Page<Item>> => {
    let all: Page<Item> = await getPage<Item>(path, field, query, undefined, signal);
    for (let loaded = 1; loaded < pageCount && all.next !== undefined; loaded++) {
      const more = await getPage<Item>(path, field, query, all.next, signal);
      all = { items: [...all.items, ...more.items], next: more.next };
    }
    return all;
  };
  const { value, ...state } = useResource(loadAll, [key], refreshMs);
  const { reload } = state;
  const loadMore = useCallback(() => {
    setCount((count) => count + 1);
    reload();
  }, [reload]);
  return { ...state, value: value?.items ?? null, loadMore: value?.next === undefined ? null : loadMore };
}

/** Returns a list that is there already, as a table takes it. */
export function loaded<Item>(
  value: readonly Item[],
  reload: () => void = () => undefined,
): Resource<readonly Item[]> {
  return { value, error: null, isLoading: false, reload };
}

/** Returns what was thrown as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

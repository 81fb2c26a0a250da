/** Data of the server in a component: loaded, loaded again, and loaded page by page. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

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
    setState((state) => ({ ...state, ...(isOther ? { value: null } : {}), isLoading: true }));
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value, error: null, isLoading: false }),
      (error: unknown) =>
        !abort.signal.aborted && setState((state) => ({ ...state, error: asError(error), isLoading: false })),
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

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface PagedResource<Item> extends Resource<readonly Item[]> {
  /** Loads the next page and adds it at the end; null when there is none. */
  readonly loadMore: (() => void) | null;
}

/** Loads a list page by page. `reload` loads as many pages again as are shown. */
export function usePages<Item>(
  load: (token: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
  inputs: readonly unknown[],
  refreshMs?: number,
): PagedResource<Item> {
  const [count, setCount] = useState(1);
  const key = JSON.stringify(inputs);
  const lastKey = useRef(key);
  const pageCount = lastKey.current === key ? count : 1;
  useEffect(() => {
    lastKey.current = key;
    setCount(1);
  }, [key]);
  const loadAll = async (signal: AbortSignal): Promise<Page<Item>> => {
    let all: Page<Item> = await load(undefined, signal);
    for (let loaded = 1; loaded < pageCount && all.next !== undefined; loaded++) {
      const more = await load(all.next, signal);
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

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

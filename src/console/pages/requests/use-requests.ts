import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { WireRequest } from "../../../http/management/requests/requests.js";
import { isLive, loadRequest, loadRequests, type RequestLogQuery } from "../../api/requests.js";
import { pageSize, toError, type PagedResource } from "../../lib/resource.js";
import { refreshed, replaced, type LiveList } from "./live-list.js";

const refreshMs = 2000;
/** Live requests that are asked for one by one because newer ones have pushed them from the first page. */
const followedMax = 10;
/** Pixels that a page may be scrolled and still count as its beginning. */
const beginningPixels = 40;

interface LiveRequests extends PagedResource<WireRequest> {
  /** Requests that have come since the list was loaded and are not shown. */
  readonly newer: number;
  /** Shows a newer version of a request at its place. */
  readonly update: (request: WireRequest) => void;
}

/** Loads the list, keeps it fresh while the page is visible, and holds new requests back while somebody reads further down. */
export function useRequests(filter: RequestLogQuery): LiveRequests {
  const [list, setList] = useState<LiveList<WireRequest> | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isLoading, setLoading] = useState(true);
  const key = JSON.stringify(filter);
  const latest = useRef({ list, filter });
  latest.current = { list, filter };
  const load = useLoader(setList, setError, setLoading);
  const reload = useCallback(
    () =>
      load(async (signal) => ({
        ...(await loadRequests(latest.current.filter, undefined, signal)),
        newer: 0,
      })),
    [load],
  );
  useEffect(() => {
    setList(null);
    reload();
  }, [key]);
  const loadMore = useCallback(() => {
    load(async (signal) => {
      const { list, filter } = latest.current;
      const more = await loadRequests(filter, list?.next, signal);
      return { items: [...(list?.items ?? []), ...more.items], next: more.next, newer: list?.newer ?? 0 };
    });
  }, [load]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { list, filter } = latest.current;
      if (document.visibilityState !== "visible" || list === null) return;
      load(async (signal) => refresh(list, filter, signal), true);
    }, refreshMs);
    return () => clearInterval(timer);
  }, [load]);
  const update = useCallback(
    (request: WireRequest) => setList((list) => (list === null ? null : replaced(list, [request]))),
    [],
  );
  return {
    update,
    value: list?.items ?? null,
    newer: list?.newer ?? 0,
    error,
    isLoading,
    reload,
    loadMore: list?.next === undefined ? null : loadMore,
  };
}

type Loading = (signal: AbortSignal) => Promise<LiveList<WireRequest>>;

/** Returns a function that loads the list. One load runs at a time: a refresh waits for its next turn, others take its place. */
function useLoader(
  setList: (list: LiveList<WireRequest>) => void,
  setError: (error: Error | null) => void,
  setLoading: (isLoading: boolean) => void,
): (by: Loading, isRefresh?: boolean) => void {
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return useCallback((by: Loading, isRefresh = false) => {
    if (isRefresh && running.current !== null) return;
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    if (!isRefresh) setLoading(true);
    by(abort.signal)
      .then(
        (list) => {
          if (abort.signal.aborted) return;
          setList(list);
          setError(null);
        },
        (thrown: unknown) => {
          if (!abort.signal.aborted) setError(toError(thrown));
        },
      )
      .finally(() => {
        if (running.current !== abort) return;
        running.current = null;
        setLoading(false);
      });
  }, []);
}

async function refresh(
  list: LiveList<WireRequest>,
  filter: RequestLogQuery,
  signal: AbortSignal,
): Promise<LiveList<WireRequest>> {
  const newest = await loadRequests(filter, undefined, signal);
  const isDialogOpen = document.querySelector("dialog[open]") !== null;
  const isReading = isDialogOpen || list.items.length > pageSize || scrollY > beginningPixels;
  const next = refreshed(list, newest, isReading);
  const current = new Set(newest.items.map(({ id }) => id));
  const pushedOut = next.items.filter((item) => isLive(item) && !current.has(item.id)).slice(0, followedMax);
  if (pushedOut.length === 0) return next;
  const versions = await Promise.all(
    // One that has waited and was cancelled has no row.
    pushedOut.map((item) => loadRequest(item.id, signal).catch(() => item)),
  );
  return replaced(next, versions);
}

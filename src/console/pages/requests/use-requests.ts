import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import {
  getRequest,
  isLive,
  listRequests,
  requestsPerPage,
  type LoggedRequest,
  type RequestFilter,
} from "../../api/requests.js";
import type { PagedResource } from "../../lib/resource.js";
import { refreshed, replaced, type LiveList } from "./live-list.js";

const refreshMs = 2000;
/** Live requests that are asked for one by one because newer ones have pushed them from the first page. */
const followedMax = 10;
/** Pixels that a page may be scrolled and still count as its beginning. */
const beginningPixels = 40;

export interface LiveRequests extends PagedResource<LoggedRequest> {
  /** Requests that have come since the list was loaded and are not shown. */
  readonly newer: number;
  /** Shows a newer version of a request at its place. */
  readonly update: (request: LoggedRequest) => void;
}

/** Loads the list, keeps it fresh while the page is visible, and holds new requests back while somebody reads further down. */
export function useRequests(filter: RequestFilter, isDialogOpen: boolean): LiveRequests {
  const [list, setList] = useState<LiveList<LoggedRequest> | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isLoading, setLoading] = useState(true);
  const key = JSON.stringify(filter);
  const latest = useRef({ list, filter, isDialogOpen });
  latest.current = { list, filter, isDialogOpen };
  const load = useLoader(setList, setError, setLoading);
  const reload = useCallback(
    () =>
      load(async (signal) => ({
        ...(await listRequests(latest.current.filter, undefined, signal)),
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
      const more = await listRequests(filter, list?.next, signal);
      return { items: [...(list?.items ?? []), ...more.items], next: more.next, newer: list?.newer ?? 0 };
    });
  }, [load]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { list, filter, isDialogOpen } = latest.current;
      if (document.visibilityState !== "visible" || list === null) return;
      load(async (signal) => refresh(list, filter, isDialogOpen, signal), true);
    }, refreshMs);
    return () => clearInterval(timer);
  }, [load]);
  const update = useCallback(
    (request: LoggedRequest) => setList((list) => (list === null ? null : replaced(list, [request]))),
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

type Loading = (signal: AbortSignal) => Promise<LiveList<LoggedRequest>>;

/** Returns a function that loads the list. One load runs at a time: a refresh waits for its next turn, others take its place. */
function useLoader(
  setList: (list: LiveList<LoggedRequest>) => void,
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
          if (!abort.signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
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
  list: LiveList<LoggedRequest>,
  filter: RequestFilter,
  isDialogOpen: boolean,
  signal: AbortSignal,
): Promise<LiveList<LoggedRequest>> {
  const newest = await listRequests(filter, undefined, signal);
  const isReading = isDialogOpen || list.items.length > requestsPerPage || scrollY > beginningPixels;
  const next = refreshed(list, newest, isReading);
  const current = new Set(newest.items.map(({ id }) => id));
  const pushedOut = next.items.filter((item) => isLive(item) && !current.has(item.id)).slice(0, followedMax);
  if (pushedOut.length === 0) return next;
  const versions = await Promise.all(
    // One that has waited and was cancelled has no row.
    pushedOut.map((item) => getRequest(item.id, signal).catch(() => item)),
  );
  return replaced(next, versions);
}

/** The address of the page: which page is open, and its settings in the query. Links are ordinary links. */
import { useLayoutEffect, useState } from "preact/hooks";
import { basePath } from "./base-path.js";

interface PageLocation {
  /** What follows `/console/`, such as `keys`; empty for the first page. */
  readonly page: string;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();

/** Returns the address of a page. @param query fields that are empty are left out */
export function pageHref(page: string, query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const text = new URLSearchParams(given).toString();
  return `${basePath}/console${page === "" ? "" : `/${page}`}${text === "" ? "" : `?${text}`}`;
}

/** Opens a page without loading the console again. */
export function navigate(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  for (const listener of listeners) listener();
}

/** Changes fields of the address; one that is empty is removed. */
export function setQuery(fields: Readonly<Record<string, string>>): void {
  const { page, query } = read();
  navigate(pageHref(page, { ...Object.fromEntries(query), ...fields }), { replace: true });
}

/** Returns the address now, and again whenever it changes. */
export function useLocation(): PageLocation {
  const [current, setCurrent] = useState(read);
  // Before the page is shown, so that no change is missed.
  useLayoutEffect(() => {
    const update = (): void => setCurrent(read());
    listeners.add(update);
    addEventListener("popstate", update);
    return () => {
      listeners.delete(update);
      removeEventListener("popstate", update);
    };
  }, []);
  return current;
}

/** Opens links to pages of the console without loading it again. Call it once. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const url = new URL(link.href);
    const isOther = url.origin !== location.origin || link.target !== "" || link.hasAttribute("download");
    // The pages of the console have one segment; `/console/oidc/start` is an address of the server.
    if (isOther || !isPagePath(url.pathname)) return;
    event.preventDefault();
    navigate(url.pathname + url.search);
  });
}

function isPagePath(path: string): boolean {
  return path.startsWith(basePath) && /^\/console(\/[a-z-]*)?$/.test(path.slice(basePath.length));
}

function read(): PageLocation {
  const [, page = ""] = /\/console\/([a-z-]+)$/.exec(location.pathname) ?? [];
  return { page, query: new URLSearchParams(location.search) };
}

/**
 * A list that grows at its beginning while it is read. What is shown keeps its place: new items are counted, and shown when the reader
 * asks for them.
 */

/** As lib/resource.ts has it, which belongs to the browser. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

export interface LiveList<Item> extends Page<Item> {
  /** Items that are newer than the first one shown; at most a page of them is counted. */
  readonly newer: number;
}

/**
 * Returns the list with what the server says now about its newest items.
 * @param newest the first page of the server, now
 * @param isReading true keeps every item at its place; false shows the page as it is
 */
export function refreshed<Item extends { readonly id: string }>(
  list: LiveList<Item>,
  newest: Page<Item>,
  isReading: boolean,
): LiveList<Item> {
  if (!isReading || list.items.length === 0) return { ...newest, newer: 0 };
  const shown = new Set(list.items.map(({ id }) => id));
  const firstShown = newest.items.findIndex(({ id }) => shown.has(id));
  const newer = firstShown === -1 ? newest.items.length : firstShown;
  return { ...replaced(list, newest.items), newer };
}

/** Returns the list with newer versions of its items, each at the place of the old one. */
export function replaced<Item extends { readonly id: string }, List extends LiveList<Item>>(
  list: List,
  versions: readonly Item[],
): List {
  const byId = new Map(versions.map((item) => [item.id, item]));
  return { ...list, items: list.items.map((item) => byId.get(item.id) ?? item) };
}

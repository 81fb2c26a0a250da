/** Work over many items that lets the event loop do other things in between. */

/** Items of a step, which holds the event loop for about a millisecond. */
const stepItems = 500;

/** Calls `action` for each item in order. */
export async function forEachInSteps<Item>(
  items: readonly Item[],
  action: (item: Item) => void,
  itemsAtOnce = stepItems,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % itemsAtOnce === 0) await otherWork();
    action(item);
  }
}

/** Converts each item, in order. @param itemsAtOnce fewer than usual, where an item is large */
export async function mapInSteps<Item, Result>(
  items: readonly Item[],
  convert: (item: Item) => Result,
  itemsAtOnce?: number,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachInSteps(items, (item) => results.push(convert(item)), itemsAtOnce);
  return results;
}

function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

import { expect, test } from "vitest";
import { refreshed, replaced } from "../../../src/console/pages/requests/live-list.js";

const item = (id: string, state = "running") => ({ id, state });
const list = { items: [item("c"), item("b"), item("a")], next: "after a", newer: 0 };

test("shows new items at once to somebody who is at the beginning", () => {
  const newest = { items: [item("d"), item("c")], next: "after c" };
  expect(refreshed(list, newest, false)).toEqual({ ...newest, newer: 0 });
});

test("keeps every item at its place for somebody who reads, and counts new ones", () => {
  const newest = { items: [item("e"), item("d"), item("c", "completed"), item("b")], next: "after b" };
  expect(refreshed(list, newest, true)).toEqual({
    items: [item("c", "completed"), item("b"), item("a")],
    next: "after a",
    newer: 2,
  });
});

test("counts at most a page of new items when all of it is new", () => {
  const newest = { items: [item("f"), item("e")], next: "after e" };
  expect(refreshed(list, newest, true)).toEqual({ ...list, newer: 2 });
});

test("shows the first items of an empty list", () => {
  const newest = { items: [item("a")], next: undefined };
  expect(refreshed({ items: [], next: undefined, newer: 0 }, newest, true)).toEqual({ ...newest, newer: 0 });
});

test("replaces items at their place", () => {
  expect(replaced(list, [item("b", "failed"), item("z")]).items).toEqual([
    item("c"),
    item("b", "failed"),
    item("a"),
  ]);
});

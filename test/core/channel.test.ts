import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Channel, type Merging } from "../../src/core/channel.js";

interface Text {
  readonly group: number | null;
  readonly text: string;
}

/** Texts of one group are joined; a text without a group stands alone. */
const joining: Merging<Text> = {
  findGroup: (item) => item.group,
  merge: (last, next) => ({ group: last.group, text: last.text + next.text }),
};
const text = (group: number | null, value: string): Text => ({ group, text: value });

async function readAll(channel: Channel<Text>): Promise<Text[]> {
  const read: Text[] = [];
  for await (const item of channel) read.push(item);
  return read;
}

describe("a channel", () => {
  it("over any pushes and reads: gives each group its whole text in order, and never holds more items than its capacity", async () => {
    const step = fc.oneof(
      fc.record({ group: fc.option(fc.nat({ max: 2 })), text: fc.string({ minLength: 1, maxLength: 3 }) }),
      fc.constant("read" as const),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        async (steps, capacity) => {
          const channel = new Channel<Text>(capacity, joining);
          const reader = channel[Symbol.asyncIterator]();
          const [taken, read]: [Text[], Text[]] = [[], []];
          for (const each of steps) {
            if (each !== "read") {
              if (channel.push(each)) taken.push(each);
            } else if (
              taken.map((item) => item.text).join("").length > read.map((item) => item.text).join("").length
            ) {
              const { value } = await reader.next();
              if (value !== undefined) read.push(value);
            }
          }
          channel.end();
          const rest = await readAll(channel);
          expect(rest.length).toBeLessThanOrEqual(capacity);
          read.push(...rest);
          const textOf = (items: readonly Text[], group: number | null) =>
            items
              .filter((item) => item.group === group)
              .map((item) => item.text)
              .join("");
          for (const group of [null, 0, 1, 2]) expect(textOf(read, group)).toBe(textOf(taken, group));
        },
      ),
    );
  });

  it("refuses an item that fits nowhere, and takes one that joins the last of its group even when it is full", () => {
    const channel = new Channel<Text>(2, joining);
    expect(channel.push(text(0, "a"))).toBe(true);
    expect(channel.push(text(null, "b"))).toBe(true);
    expect(channel.push(text(null, "c"))).toBe(false);
    expect(channel.push(text(1, "d"))).toBe(false);
    expect(channel.push(text(0, "e"))).toBe(true);
  });

  it("never adds to an item that was read", async () => {
    const channel = new Channel<Text>(2, joining);
    channel.push(text(0, "a"));
    const reader = channel[Symbol.asyncIterator]();
    expect((await reader.next()).value).toEqual(text(0, "a"));
    channel.push(text(0, "b"));
    expect((await reader.next()).value).toEqual(text(0, "b"));
  });

  it("wakes a reader that waits, for an item and for the end", async () => {
    const channel = new Channel<Text>(2, joining);
    const reader = channel[Symbol.asyncIterator]();
    const first = reader.next();
    channel.push(text(null, "a"));
    expect(await first).toEqual({ value: text(null, "a"), done: false });
    const second = reader.next();
    channel.end();
    expect(await second).toEqual({ value: undefined, done: true });
  });

  it("gives what is queued and then the error when it failed, and takes nothing after that", async () => {
    const channel = new Channel<Text>(2, joining);
    channel.push(text(null, "a"));
    channel.fail(new Error("the engine stopped"));
    expect(channel.push(text(null, "b"))).toBe(false);
    const reader = channel[Symbol.asyncIterator]();
    expect((await reader.next()).value).toEqual(text(null, "a"));
    await expect(reader.next()).rejects.toThrow("the engine stopped");
  });

  it("keeps its first end: a failure after the end is not reported", async () => {
    const channel = new Channel<Text>(2, joining);
    channel.end();
    channel.fail(new Error("too late"));
    expect(await readAll(channel)).toEqual([]);
  });
});

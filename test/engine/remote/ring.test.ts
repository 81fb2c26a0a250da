import { describe, expect, it } from "vitest";
import { inOrderOfChoice } from "../../../src/engine/remote/ring.js";

const server = (at: number, load = 0, capacity = 1000) => ({
  url: `http://10.0.0.${at}:8080`,
  load,
  capacity,
});
const conversations = Array.from({ length: 2000 }, (_, at) => `team ${at}`);

describe("the choice of a server", () => {
  it("is the same for a conversation, whatever the order of the servers", () => {
    const servers = [1, 2, 3, 4].map((at) => server(at));
    for (const key of conversations.slice(0, 100))
      expect(inOrderOfChoice(key, servers.toReversed())[0]).toEqual(inOrderOfChoice(key, servers)[0]);
  });

  it("stays for most conversations when a server is added: those that move go to the new one", () => {
    const [before, after] = [[1, 2, 3].map((at) => server(at)), [1, 2, 3, 4].map((at) => server(at))];
    let moved = 0;
    for (const key of conversations) {
      const [old, now] = [inOrderOfChoice(key, before)[0]?.url, inOrderOfChoice(key, after)[0]?.url];
      if (old === now) continue;
      moved += 1;
      expect(now).toBe(server(4).url);
    }
    expect(moved / conversations.length).toBeLessThan(0.4);
    expect(moved).toBeGreaterThan(0);
  });

  it("gives no server more than 1.25 times its share of what runs, and one more", () => {
    const servers = [1, 2, 3, 4].map((at) => ({ ...server(at) }));
    for (const [at, key] of conversations.entries()) {
      const [chosen] = inOrderOfChoice(key, servers);
      if (chosen !== undefined) chosen.load += 1;
      const bound = Math.ceil((1.25 * (at + 1)) / servers.length);
      for (const { load } of servers) expect(load).toBeLessThanOrEqual(bound);
    }
  });

  it("prefers the server that has read a conversation, unless it has more than its share", () => {
    const servers = [1, 2, 3, 4].map((at) => server(at, 4));
    for (const key of conversations.slice(0, 100))
      for (const known of servers) expect(inOrderOfChoice(key, servers, known)[0]).toBe(known);
    const [busy = server(1), ...others] = [server(1, 9), server(2, 4), server(3, 4), server(4, 4)];
    const ordered = inOrderOfChoice("team", [busy, ...others], busy);
    expect(ordered[0]).toBe(inOrderOfChoice("team", [busy, ...others])[0]);
    expect(ordered.at(-1)).toBe(busy);
  });

  it("leaves out servers that are full, and is empty where all are", () => {
    const servers = [server(1, 4, 4), server(2, 3, 4)];
    expect(inOrderOfChoice("team", servers).map(({ url }) => url)).toEqual([server(2).url]);
    expect(inOrderOfChoice("team", [server(1, 4, 4)])).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { StoredResponse } from "../../../src/inference/responses/stored-response.js";
import { createResponseStore } from "../../../src/inference/responses/store/responses.js";
import { createWrites } from "../../../src/store/writes.js";
import { aResponse, databaseOfTwoTeams, someItems } from "../../store/records.js";

/** Responses `r0` to `r<length - 1>`, each continuing the one before it, with two input items and an output item each. */
async function chainOf(length: number, changes: Readonly<Record<string, Partial<StoredResponse>>> = {}) {
  const database = await databaseOfTwoTeams();
  const store = createResponseStore(database);
  const writes = createWrites(database);
  for (let index = 0; index < length; index++) {
    const id = `r${index}`;
    const previousId = index === 0 ? null : `r${index - 1}`;
    const response = aResponse({ id, previousId, status: "completed", ...changes[id] });
    const input = someItems(`${id}-z`, `${id}-a`);
    await writes.commit(store.insertion(response, input, someItems(`${id}-out`)));
  }
  return { store, writes };
}

const itemsOf = (...ids: readonly string[]) =>
  someItems(...ids.flatMap((id) => [`${id}-z`, `${id}-a`, `${id}-out`]));

describe("a conversation", () => {
  it("consists of every response's input and output, the oldest first", async () => {
    const { store } = await chainOf(3);
    expect(await store.chain("r2", "team-1", 9)).toEqual(itemsOf("r0", "r1", "r2"));
    expect(await store.chain("r1", "team-1", 9)).toEqual(itemsOf("r0", "r1"));
    expect(await store.chain("r0", "team-1", 9)).toEqual(itemsOf("r0"));
  });

  it("keeps its order beyond ten responses and ten items", async () => {
    const { store, writes } = await chainOf(12);
    const many = Array.from({ length: 12 }, (_, index) => `i${index}`);
    const last = aResponse({ id: "last", previousId: "r11", status: "completed" });
    await writes.commit(store.insertion(last, someItems(...many), []));
    const before = Array.from({ length: 12 }, (_, index) => `r${index}`);
    expect(await store.chain("last", "team-1", 20)).toEqual([...itemsOf(...before), ...someItems(...many)]);
  });

  it("may branch: each branch has its own history", async () => {
    const { store, writes } = await chainOf(2);
    const branch = aResponse({ id: "branch", previousId: "r0", status: "completed" });
    await writes.commit(store.insertion(branch, someItems("question"), someItems("reply")));
    expect(await store.chain("branch", "team-1", 9)).toEqual([
      ...itemsOf("r0"),
      ...someItems("question", "reply"),
    ]);
  });

  it("includes responses without items", async () => {
    const { store, writes } = await chainOf(1);
    const [silent, last] = [
      aResponse({ id: "silent", previousId: "r0", status: "completed" }),
      aResponse({ id: "last", previousId: "silent", status: "completed" }),
    ];
    await writes.commit([...store.insertion(silent, [], []), ...store.insertion(last, someItems("x"), [])]);
    expect(await store.chain("last", "team-1", 9)).toEqual([...itemsOf("r0"), ...someItems("x")]);
    expect(await store.chain("silent", "team-1", 9)).toEqual(itemsOf("r0"));
  });

  it("may have the maximum length, and is rejected with its field named when it is longer", async () => {
    const { store } = await chainOf(4);
    expect(await store.chain("r3", "team-1", 4)).toHaveLength(12);
    await expect(store.chain("r3", "team-1", 3)).rejects.toMatchObject({
      kind: "invalid_value",
      param: "previous_response_id",
      message: expect.stringContaining("3 responses") as string,
    });
  });

  it("that is circular is rejected as too long", async () => {
    const { store } = await chainOf(3, { r0: { previousId: "r2" } });
    await expect(store.chain("r2", "team-1", 100)).rejects.toMatchObject({ kind: "invalid_value" });
  });

  it.each(["queued", "in_progress"] as const)("is null when one of its responses is %s", async (status) => {
    const { store } = await chainOf(3, { r1: { status } });
    expect(await store.chain("r2", "team-1", 9)).toBeNull();
    expect(await store.chain("r1", "team-1", 9)).toBeNull();
    expect(await store.chain("r0", "team-1", 9)).toEqual(itemsOf("r0"));
  });

  it.each(["incomplete", "failed", "cancelled"] as const)(
    "includes a response that is %s",
    async (status) => {
      const { store } = await chainOf(2, { r0: { status } });
      expect(await store.chain("r1", "team-1", 9)).toEqual(itemsOf("r0", "r1"));
    },
  );

  it("is null when any of its responses was deleted", async () => {
    const { store } = await chainOf(4);
    await store.delete("r0", "team-1");
    expect(await store.chain("r3", "team-1", 9)).toBeNull();
    await store.delete("r2", "team-1");
    expect(await store.chain("r3", "team-1", 9)).toBeNull();
    expect(await store.chain("r2", "team-1", 9)).toBeNull();
  });

  it("is null when it leads to another team's response, as if that did not exist", async () => {
    const { store } = await chainOf(3, { r0: { teamId: "team-2" }, r2: { previousId: "never" } });
    expect(await store.chain("r1", "team-1", 9)).toBeNull();
    expect(await store.chain("r2", "team-1", 9)).toBeNull();
    expect(await store.chain("r1", "team-2", 9)).toBeNull();
    expect(await store.chain("r0", "team-2", 9)).toEqual(itemsOf("r0"));
  });

  it("is whole or null when one of its responses is deleted while it is read", async () => {
    const seen = new Set<boolean>();
    for (let turns = 0; turns <= 12; turns++) {
      const { store } = await chainOf(3);
      const deleting = after(turns, () => store.delete("r1", "team-1"));
      const read = await after(12 - turns, () => store.chain("r2", "team-1", 9));
      if (read !== null) expect(read, `after ${turns} turns`).toEqual(itemsOf("r0", "r1", "r2"));
      seen.add(read === null);
      expect(await deleting).toBe(true);
      expect(await store.chain("r2", "team-1", 9)).toBeNull();
    }
    expect(seen.size).toBe(2);
  });
});

/** Starts an action after some turns of the microtask queue. */
async function after<T>(turns: number, begin: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  return begin();
}

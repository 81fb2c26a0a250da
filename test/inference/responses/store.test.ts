import { describe, expect, it } from "vitest";
import type {
  ResponseEnding,
  StoredItem,
  StoredResponse,
} from "../../../src/inference/responses/stored-response.js";
import { createResponseStore } from "../../../src/inference/responses/store/responses.js";
import { createWrites } from "../../../src/store/writes.js";
import { anEnding, aResponse, databaseOfTwoTeams, someItems } from "../../store/records.js";

const events = new Uint8Array([0, 1, 2, 255]);
const ending = anEnding({ output: someItems("msg-1", "msg-2"), events });
const ended = { status: "completed", body: ending.body } as const;

async function responses() {
  const database = await databaseOfTwoTeams();
  const store = createResponseStore(database);
  const writes = createWrites(database);
  return {
    database,
    store,
    insert: (
      response: StoredResponse,
      input: readonly StoredItem[] = [],
      output: readonly StoredItem[] = [],
    ) => writes.commit(store.insertion(response, input, output)),
    end: (id: string, how: ResponseEnding) => writes.commit(store.ending(id, how)),
  };
}

/** How many rows each of the three tables has. */
async function rows({ kysely }: Awaited<ReturnType<typeof responses>>["database"]) {
  const tables = ["responses", "responseItems", "responseEvents"] as const;
  const all = tables.map((table) => kysely.selectFrom(table).selectAll().execute());
  return (await Promise.all(all)).map((found) => found.length);
}

describe("stored responses", () => {
  it("are read as they were inserted, with their input in order", async () => {
    const { store, insert } = await responses();
    const response = aResponse({ previousId: "gone", streamed: false, body: '{"text":"\'; drop table --"}' });
    const input = someItems("z", "a", "m", "a");
    await insert(response, input);
    expect(await store.find("resp-1", "team-1")).toEqual(response);
    expect(await store.input("resp-1", "team-1")).toEqual(input);
    expect(await store.events("resp-1", "team-1")).toBeNull();
  });

  it("may have no input at all", async () => {
    const { store, insert } = await responses();
    await insert(aResponse());
    expect(await store.input("resp-1", "team-1")).toEqual([]);
  });

  it("may be inserted with their end and output", async () => {
    const { store, insert } = await responses();
    const response = aResponse({ status: "incomplete", background: false });
    await insert(response, someItems("in"), someItems("out"));
    expect(await store.find("resp-1", "team-1")).toEqual(response);
    expect(await store.input("resp-1", "team-1")).toEqual(someItems("in"));
    expect(await store.chain("resp-1", "team-1", 9)).toEqual(someItems("in", "out"));
  });

  it("can be marked as in progress only when they are queued", async () => {
    const { store, insert, end } = await responses();
    await insert(aResponse());
    await store.markStarted("resp-1", "begun");
    const begun = aResponse({ status: "in_progress", body: "begun" });
    expect(await store.find("resp-1", "team-1")).toEqual(begun);
    await store.markStarted("resp-1", "again");
    expect(await store.find("resp-1", "team-1")).toEqual(begun);
    await end("resp-1", ending);
    await store.markStarted("resp-1", "late");
    expect(await store.find("resp-1", "team-1")).toEqual(aResponse(ended));
    await store.markStarted("gone", "begun");
    expect(await store.find("gone", "team-1")).toBeNull();
  });

  it.each(["queued", "in_progress"] as const)(
    "that are %s can be ended with output and stream",
    async (status) => {
      const { store, insert, end } = await responses();
      await insert(aResponse({ status }), someItems("in"));
      await end("resp-1", ending);
      expect(await store.find("resp-1", "team-1")).toEqual(aResponse(ended));
      expect(await store.chain("resp-1", "team-1", 9)).toEqual(someItems("in", "msg-1", "msg-2"));
      expect(new Uint8Array((await store.events("resp-1", "team-1")) ?? [])).toEqual(events);
      expect(await store.input("resp-1", "team-1")).toEqual(someItems("in"));
    },
  );

  it.each(["completed", "incomplete", "failed", "cancelled"] as const)(
    "that are %s take no second ending: no status, no items, no stream",
    async (status) => {
      const { database, store, insert, end } = await responses();
      await insert(aResponse());
      await end("resp-1", anEnding({ status, body: "first" }));
      await end("resp-1", ending);
      expect(await store.find("resp-1", "team-1")).toEqual(aResponse({ status, body: "first" }));
      expect(await rows(database)).toEqual([1, 0, 0]);
    },
  );

  it("keep the first of two ends that are written at the same time", async () => {
    const { database, store, insert } = await responses();
    await insert(aResponse());
    const cancelled = anEnding({ status: "cancelled", body: "first", output: someItems("a") });
    await createWrites(database).commit([
      ...store.ending("resp-1", cancelled),
      ...store.ending("resp-1", ending),
    ]);
    expect(await store.find("resp-1", "team-1")).toMatchObject({ status: "cancelled", body: "first" });
    expect(await store.chain("resp-1", "team-1", 9)).toEqual(someItems("a"));
    expect(await rows(database)).toEqual([1, 1, 0]);
  });

  it("that were deleted while in progress stay deleted when their run ends", async () => {
    const { database, store, insert, end } = await responses();
    await insert(aResponse(), someItems("in"));
    expect(await store.delete("resp-1", "team-1")).toBe(true);
    await end("resp-1", ending);
    expect(await rows(database)).toEqual([0, 0, 0]);
  });

  it("are deleted with their items and their stream, and only once", async () => {
    const { database, store, insert, end } = await responses();
    await insert(aResponse(), someItems("in"));
    await end("resp-1", ending);
    await insert(aResponse({ id: "resp-2" }), someItems("in"));
    expect(await rows(database)).toEqual([2, 4, 1]);
    expect(await store.delete("resp-1", "team-1")).toBe(true);
    expect(await rows(database)).toEqual([1, 1, 0]);
    expect(await store.delete("resp-1", "team-1")).toBe(false);
    expect(await store.find("resp-1", "team-1")).toBeNull();
    expect(await store.input("resp-2", "team-1")).toEqual(someItems("in"));
  });

  it("are deleted once expired, up to the requested number, unless in progress", async () => {
    const { database, store, insert } = await responses();
    const status = "completed";
    await insert(aResponse({ id: "a", status, expireTime: 5000 }), someItems("in"));
    await insert(aResponse({ id: "b", status, expireTime: 3000 }), someItems("in"));
    await insert(aResponse({ id: "c", status: "failed", expireTime: 4000 }), someItems("in"));
    await insert(aResponse({ id: "queued", expireTime: 1000 }));
    await insert(aResponse({ id: "busy", status: "in_progress", expireTime: 1000 }));
    await insert(aResponse({ id: "later", status, expireTime: 5001 }));
    expect(await store.count()).toBe(6);
    expect(await store.deleteExpired(5000, 2)).toBe(2);
    expect(await store.find("a", "team-1")).not.toBeNull();
    expect(await store.deleteExpired(5000, 2)).toBe(1);
    expect(await store.deleteExpired(5000, 2)).toBe(0);
    expect(await rows(database)).toEqual([3, 0, 0]);
    expect(await store.count()).toBe(3);
  });

  it("are for another team the same as unknown ones, in every method", async () => {
    const { database, store, insert, end } = await responses();
    await insert(aResponse(), someItems("in"));
    await end("resp-1", ending);
    const asked = [
      (id: string) => store.find(id, "team-2"),
      (id: string) => store.events(id, "team-2"),
      (id: string) => store.input(id, "team-2"),
      (id: string) => store.chain(id, "team-2", 9),
      (id: string) => store.delete(id, "team-2"),
    ];
    for (const ask of asked) expect(await ask("resp-1")).toEqual(await ask("never"));
    expect(await store.items(["in", "msg-1"], "team-2")).toEqual(await store.items(["never"], "team-2"));
    expect(await rows(database)).toEqual([1, 3, 1]);
    expect(await store.find("resp-1", "team-1")).toEqual(aResponse(ended));
  });

  it.each<[string, Partial<StoredResponse>]>([
    ["a team that does not exist", { teamId: "nobody" }],
    ["a second response of the same id", { id: "taken" }],
  ])("refuse %s, and keep none of its items", async (_, change) => {
    const { database, insert } = await responses();
    await insert(aResponse({ id: "taken" }));
    await expect(insert(aResponse(change), someItems("in"))).rejects.toThrow(/constraint/);
    expect(await rows(database)).toEqual([1, 0, 0]);
  });
});

describe("items by id", () => {
  it("are the newest of their id among the team's, without unknown ids", async () => {
    const { store, insert, end } = await responses();
    const item = (id: string, body: string): readonly StoredItem[] => [{ id, body }];
    await insert(aResponse(), item("same", "old"));
    await insert(aResponse({ id: "resp-2" }), item("same", "middle"));
    await insert(aResponse({ id: "other", teamId: "team-2" }), item("same", "theirs"));
    await end("resp-1", anEnding({ output: item("same", "newest") }));
    await insert(aResponse({ id: "resp-3" }), someItems("b"));
    const wanted = ["b", "never", "same", "b", "\u0001"];
    expect(await store.items(wanted, "team-1")).toEqual(
      new Map([
        ["b", '{"id":"b"}'],
        ["same", "newest"],
      ]),
    );
    expect(await store.items(["same"], "team-2")).toEqual(new Map([["same", "theirs"]]));
    expect(await store.items([], "team-1")).toEqual(new Map());
    await store.delete("resp-1", "team-1");
    expect(await store.items(["same"], "team-1")).toEqual(new Map([["same", "middle"]]));
  });
});

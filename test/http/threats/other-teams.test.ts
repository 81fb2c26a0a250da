import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedManaged, type Managed } from "../auth/managed.js";
import {
  ask,
  credentialOf,
  guardedRoutes,
  makeThing,
  nameOf,
  newSide,
  paramsOf,
  pathWith,
  unknownLike,
  type Side,
} from "./world.js";

let shared: { server: Managed; close: () => Promise<void> };
let [ours, theirs]: readonly Side[] = [];
beforeAll(async () => {
  shared = await sharedManaged();
  [ours, theirs] = [await newSide(shared.server, "ours"), await newSide(shared.server, "theirs")];
});
afterAll(() => shared.close());

function sides(): { ours: Side; theirs: Side; server: Managed } {
  if (ours === undefined || theirs === undefined) throw new Error("asked for before the first test");
  return { ours, theirs, server: shared.server };
}

const naming = guardedRoutes.filter((route) => paramsOf(route).length > 0);

describe("E13: another team's thing is answered for as if it were not there:", () => {
  it.each(naming.map((route) => [nameOf(route), route] as const))("%s", async (_, route) => {
    const { server, ours, theirs } = sides();
    const ids = new Map<string, string>();
    for (const param of paramsOf(route)) ids.set(param, await makeThing(server, theirs, param));
    const idOf = (param: string): string => ids.get(param) ?? "";
    const bare = (text: string): string =>
      [...ids.values()].reduce(
        (left, id) => left.replaceAll(id, "ID").replaceAll(unknownLike(id), "ID"),
        text,
      );
    const there = await pathWith(route, idOf);
    const nowhere = await pathWith(route, (param) => unknownLike(idOf(param)));
    const asOurs = async (path: string) => {
      const { status, body } = await ask(server, route, path, credentialOf(route, ours));
      return { status, body: bare(JSON.stringify(body)) };
    };
    const refused = await asOurs(there);
    expect(refused).toEqual(await asOurs(nowhere));
    expect(refused.status).toBe(404);
    // One part of the path being ours opens nothing either.
    for (const param of ids.size > 1 ? ids.keys() : []) {
      const mine = await makeThing(server, ours, param);
      const mixed = await pathWith(route, (each) => (each === param ? mine : idOf(each)));
      expect((await asOurs(mixed)).status).toBe(404);
    }
    expect((await ask(server, route, there, credentialOf(route, theirs))).status).not.toBe(404);
  });

  it("the table has such routes on both planes", () => {
    expect(new Set(naming.map(({ guard }) => guard))).toEqual(new Set(["api-key", "management-key"]));
  });
});

it("E13: ids of one moment have nothing in common that another could be guessed from", async () => {
  const { server, ours } = sides();
  for (const param of ["apiKeyId", "response_id", "request_id", "teamId"]) {
    const made = [];
    for (let count = 0; count < 20; count += 1)
      made.push(param === "teamId" ? await server.team() : await makeThing(server, ours, param));
    const tails = made.map((id) => id.replaceAll("-", "").slice(-12));
    // 48 bits, of which two that follow one another share no more than chance has it.
    for (const [at, tail] of tails.entries()) {
      expect(tail).toMatch(/^[0-9a-f]{12}$/);
      const before = tails[at - 1] ?? "............";
      expect([...tail].filter((digit, place) => digit === before[place]).length).toBeLessThan(8);
    }
  }
});

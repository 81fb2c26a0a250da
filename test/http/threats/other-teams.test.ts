import { beforeAll, describe, expect, it } from "vitest";
import { type ManagedServer, fileServer } from "../../kit/server.js";
import {
  createCheapEngines,
  requestRoute,
  credentialOf,
  keyRoutes,
  createObject,
  routeName,
  createTestTeam,
  isOfServer,
  paramsOf,
  pathWith,
  unknownLike,
  type TestTeam,
} from "./world.js";

const shared = fileServer({ ...createCheapEngines(), accounts: "managed" });
let [ours, theirs]: readonly TestTeam[] = [];
beforeAll(async () => {
  [ours, theirs] = [await createTestTeam(shared(), "ours"), await createTestTeam(shared(), "theirs")];
});

function sides(): { ours: TestTeam; theirs: TestTeam; server: ManagedServer } {
  if (ours === undefined || theirs === undefined) throw new Error("asked for before the first test");
  return { ours, theirs, server: shared() };
}

/** Routes that are for the operator only refuse the keys of every team, see ../auth/every-route.test.ts. */
const naming = keyRoutes.filter(
  (route) => paramsOf(route).length > 0 && !("forAllTeams" in route) && !isOfServer(route),
);

describe("E13: an object of another team is answered as if it did not exist:", () => {
  it.each(naming.map((route) => [routeName(route), route] as const))("%s", async (_, route) => {
    const { server, ours, theirs } = sides();
    const ids = new Map<string, string>();
    for (const param of paramsOf(route)) ids.set(param, await createObject(server, theirs, param));
    const idOf = (param: string): string => ids.get(param) ?? "";
    const bare = (text: string): string =>
      [...ids.values()].reduce(
        (left, id) => left.replaceAll(id, "ID").replaceAll(unknownLike(id), "ID"),
        text,
      );
    const there = await pathWith(route, idOf);
    const nowhere = await pathWith(route, (param) => unknownLike(idOf(param)));
    const asOurs = async (path: string) => {
      const { status, body } = await requestRoute(server, route, path, credentialOf(route, ours));
      return { status, body: bare(JSON.stringify(body)).replace(/"request_id":"[^"]*"/, "") };
    };
    const refused = await asOurs(there);
    expect(refused).toEqual(await asOurs(nowhere));
    expect(refused.status).toBe(404);
    // One own id in the path is not enough.
    for (const param of ids.size > 1 ? ids.keys() : []) {
      const mine = await createObject(server, ours, param);
      const mixed = await pathWith(route, (each) => (each === param ? mine : idOf(each)));
      expect((await asOurs(mixed)).status).toBe(404);
    }
    // The run of these tests keeps no bodies.
    if (route.path.endsWith("/bodies")) return;
    expect((await requestRoute(server, route, there, credentialOf(route, theirs))).status).not.toBe(404);
  });

  it("the route table has such routes in both APIs", () => {
    expect(new Set(naming.map(({ guard }) => guard))).toEqual(new Set(["api-key", "management-key"]));
  });
});

it("E13: ids that are created at one time do not reveal each other", async () => {
  const { server, ours } = sides();
  for (const param of ["apiKeyId", "response_id", "request_id", "teamId"]) {
    const made = [];
    for (let count = 0; count < 20; count += 1)
      made.push(param === "teamId" ? await server.createTeam() : await createObject(server, ours, param));
    const tails = made.map((id) => id.replaceAll("-", "").slice(-12));
    // 48 bits; consecutive ids share no more of them than random values do.
    for (const [at, tail] of tails.entries()) {
      expect(tail).toMatch(/^[0-9a-f]{12}$/);
      const before = tails[at - 1] ?? "............";
      expect([...tail].filter((digit, place) => digit === before[place]).length).toBeLessThan(8);
    }
  }
});

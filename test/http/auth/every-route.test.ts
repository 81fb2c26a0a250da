import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  guardedRoutes,
  makeThing,
  nameOf,
  newSide,
  paramsOf,
  pathWith,
  unknownLike,
  type Side,
} from "../threats/world.js";
import { sharedManaged, type Managed } from "./managed.js";

let shared: { server: Managed; close: () => Promise<void> };
const made: { ours?: Side; theirs?: Side } = {};
beforeAll(async () => {
  shared = await sharedManaged();
  made.ours = await newSide(shared.server, "ours");
  made.theirs = await newSide(shared.server, "theirs");
});
afterAll(() => shared.close());

/** scenarios.test.ts tells more of each route; this table has every row by itself, from the day that it is added. */
const managing = guardedRoutes.filter(({ guard }) => guard === "management-key");

describe.each(managing.map((route) => [nameOf(route), route] as const))("%s", (_, route) => {
  /** Asks for a new thing of ours, with that credential. @param id what its ids are to be instead. */
  const asking = async (credentialOf: (ours: Side) => string | null, id = (its: string) => its) => {
    const { ours } = made;
    if (ours === undefined) throw new Error("asked for before the first test");
    const path = await pathWith(route, async (param) => id(await makeThing(shared.server, ours, param)));
    return ask(shared.server, route, path, credentialOf(ours));
  };

  it.each([
    ["without a credential", () => null],
    ["with an API key of the very team", ({ apiKey }: Side) => apiKey],
    ["with a key that nobody has", () => "hm-nobody-has-a-key-like-this"],
  ])("E1, E14: %s answers 401", async (_case, credentialOf) => {
    expect(await asking(credentialOf)).toMatchObject({ status: 401, body: { code: 16, details: [] } });
  });

  it("E14: with another team's management key answers for nothing of ours", async () => {
    const theirs = () => made.theirs?.manager ?? "";
    const answer = await asking(theirs);
    if (paramsOf(route).length > 0) {
      expect(answer).toMatchObject({ status: 404, body: { code: 5 } });
      expect(answer).toEqual(await asking(theirs, unknownLike));
    } else {
      expect([200, 403]).toContain(answer.status);
      expect(JSON.stringify(answer.body)).not.toContain(made.ours?.teamId);
    }
  });

  it("with the operator's management key answers 200, and 404 for what is not there", async () => {
    const right = await shared.server.manager({});
    const answer = await asking(() => right);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    if (paramsOf(route).length > 0) expect((await asking(() => right, unknownLike)).status).toBe(404);
  });
});

import { beforeAll, expect, it } from "vitest";
import type { Route } from "../../../../src/http/server/route.js";
import { expectEvery } from "../../../kit/every.js";
import {
  createCheapEngines,
  requestRoute,
  keyRoutes,
  createObject,
  routeName,
  createTestTeam,
  isOfServer,
  paramsOf,
  pathWith,
  unknownLike,
  type TestTeam,
} from "../../threats/world.js";
import { fileServer } from "../../../kit/server.js";

const shared = fileServer({ ...createCheapEngines(), accounts: "managed" });
const made: { ours?: TestTeam; theirs?: TestTeam } = {};
beforeAll(async () => {
  made.ours = await createTestTeam(shared(), "ours");
  made.theirs = await createTestTeam(shared(), "theirs");
});

/** Covers every row of the route table automatically; scenarios.test.ts tests each route in more detail. */
const managing = keyRoutes.filter(({ guard }) => guard === "management-key");

/** Returns a function that requests a new object of the own team with a credential. Its `id` replaces the ids in the path. */
function openRoute(route: Route) {
  return async (credentialOf: (ours: TestTeam) => string | null, id = (its: string) => its) => {
    const { ours } = made;
    if (ours === undefined) throw new Error("asked for before the first test");
    // Which the example of another route does.
    await shared().database.kysely.updateTable("teams").set({ blocked: false }).execute();
    const path = await pathWith(route, async (param) => id(await createObject(shared(), ours, param)));
    return requestRoute(shared(), route, path, credentialOf(ours));
  };
}

it.each([
  ["without a credential", () => null],
  ["with an API key of the very team", ({ apiKey }: TestTeam) => apiKey],
  ["with a key that nobody has", () => "hm-nobody-has-a-key-like-this"],
])("E1, E14: %s every route returns 401", (_case, credentialOf) =>
  expectEvery(managing, routeName, async (route) => {
    const body =
      route.errors === "ollama" ? { error: expect.any(String) as string } : { code: 16, details: [] };
    expect(await openRoute(route)(credentialOf)).toMatchObject({ status: 401, body });
  }),
);

it("E14: no route returns anything of a team to the management key of another team", () =>
  expectEvery(managing, routeName, async (route) => {
    const asking = openRoute(route);
    const theirs = () => made.theirs?.manager ?? "";
    const answer = await asking(theirs);
    if (!isOfServer(route)) {
      const refusal =
        "forAllTeams" in route ? { status: 403, body: { code: 7 } } : { status: 404, body: { code: 5 } };
      expect(answer).toMatchObject(refusal);
      expect(answer).toEqual(await asking(theirs, unknownLike));
    } else {
      expect([200, 403]).toContain(answer.status);
      expect(JSON.stringify(answer.body)).not.toContain(made.ours?.teamId);
    }
  }));

it("every route answers the operator's management key, with 404 for objects that do not exist", () =>
  expectEvery(managing, routeName, async (route) => {
    const asking = openRoute(route);
    const right = await shared().createManagementKey({});
    const answer = await asking(() => right);
    // The example names a model that is not there, the model was not pulled, nothing was kept of the run, and it has ended; so may jobs and batches have.
    const others: Readonly<Record<string, number | readonly number[]>> = {
      "DELETE /api/delete": 404,
      "DELETE /admin/models/*id": 409,
      "POST /admin/requests/:runId/cancel": 409,
      "DELETE /admin/requests/:runId/bodies": 404,
      "POST /admin/deferred-completions/:requestId/cancel": [200, 409],
      "POST /admin/responses/:responseId/cancel": 409,
      "POST /admin/batches/:batchId/cancel": [200, 409],
      "DELETE /admin/batches/:batchId": [200, 409],
      "GET /admin/batches/:batchId/content": 409,
    };
    const expected = [others[routeName(route)] ?? 200].flat();
    expect(expected, JSON.stringify(answer.body)).toContain(answer.status);
    if (paramsOf(route).length > 0) expect((await asking(() => right, unknownLike)).status).toBe(404);
  }));

import { expect, it } from "vitest";
import type { Route } from "../../../../src/http/server/route.js";
import { forFile } from "../../../kit/for-file.js";
import { expectEvery } from "../../../kit/every.js";
import { attackedBodies, attacks, isAttacked, mark, startAttackedServer } from "./attacks.js";
import { createObject, credentialOf, keyRoutes, pathWith, routeName, takesBody } from "../world.js";

const attacked = forFile(startAttackedServer);

const honest = (route: Route) => ({ authorization: `Bearer ${credentialOf(route, attacked().side) ?? ""}` });
const bodyOf = (route: Route) => (takesBody(route) ? JSON.stringify(route.docs.example ?? {}) : undefined);

/** Tries each route; the statements of one are compared alone. */
const expectEveryRoute = (check: (route: Route) => Promise<void>) =>
  expectEvery(keyRoutes, routeName, (route) => {
    attacked().queries.length = 0;
    return check(route);
  });

it("E3: every route treats SQL in a credential as a wrong key", () =>
  expectEveryRoute(async (route) => {
    const path = await pathWith(route, () => "x");
    const before = attacked().dump();
    for (const attack of attacks) {
      const secret = attack.replaceAll("\u0000", "");
      const sent: Record<string, string>[] = [{ authorization: `Bearer ${secret}` }, { "x-api-key": secret }];
      for (const headers of sent)
        expect(await attacked().send(route.method, path, headers, bodyOf(route))).toBe(401);
    }
    expect(attacked().dump()).toBe(before);
    attacked().expectOnlyValues();
  }));

it("E3: every route treats SQL in its path as an unknown id", () =>
  expectEveryRoute(async (route) => {
    const before = attacked().dump();
    const pattern = { path: route.path.replace("*id", ":id") };
    const named = pattern.path.includes(":");
    for (const attack of named ? attacks : []) {
      const answered = await attacked().send(
        route.method,
        await pathWith(pattern, () => attack),
        honest(route),
        bodyOf(route),
      );
      expect([400, 404]).toContain(answered);
    }
    // An unknown path causes no query.
    const longer = `${route.path.replace(/[:*]\w+/g, "x")}/x/x/${encodeURIComponent(attacks[0] ?? "")}`;
    expect([400, 404, 405]).toContain(
      await attacked().send(route.method, longer, honest(route), bodyOf(route)),
    );
    expect(attacked().dump()).toBe(before);
    expect(attacked().queries.filter(isAttacked)).toEqual([]);
  }));

it("E3: every route treats SQL in each query field and each body text as a text", () =>
  expectEveryRoute(async (route) => {
    const path = await pathWith(route, (param) => createObject(attacked().server, attacked().side, param));
    const [before, body] = [attacked().schema(), bodyOf(route)];
    for (const attack of attacks) {
      for (const field of body === undefined ? [...Object.keys(route.docs.query?.shape ?? {}), mark] : []) {
        const query = `?${encodeURIComponent(field)}=${encodeURIComponent(attack)}`;
        expect(await attacked().send(route.method, path + query, honest(route))).toBeLessThan(500);
      }
      for (const changed of body === undefined ? [] : attackedBodies(route.docs.example ?? {}, attack)) {
        const sent = JSON.stringify(changed);
        expect(await attacked().send(route.method, path, honest(route), sent), sent).toBeLessThan(500);
      }
    }
    expect(attacked().schema()).toBe(before);
    attacked().expectOnlyValues();
  }));

import { expect, it } from "vitest";
import { forFile } from "../../../kit/for-file.js";
import { attacks, mark, startAttackedServer } from "./attacks.js";

const attacked = forFile(startAttackedServer);

const [attack = ""] = attacks;
const encoded = encodeURIComponent(attack);
const ours = () => ({ authorization: `Bearer ${attacked().side.manager}` });
const team = () => attacked().side.teamId;

/** One request for each kind of input; every-attack.test.ts tries every attack on every route. */
it.each<[string, number, () => Promise<number>]>([
  ["a bearer key", 401, () => attacked().send("GET", "/v1/models", { authorization: `Bearer ${attack}` })],
  ["an x-api-key", 401, () => attacked().send("GET", "/v1/models", { "x-api-key": attack })],
  ["an id in a path", 404, () => attacked().send("GET", `/auth/teams/${encoded}/api-keys`, ours())],
  ["an unknown path", 404, () => attacked().send("GET", `/auth/teams/x/x/${encoded}`, ours())],
  [
    "the value of a query field",
    200,
    () => attacked().send("GET", `/admin/requests?teamId=${team()}&q=${encoded}`, ours()),
  ],
  [
    "the name of a query field",
    200,
    () => attacked().send("GET", `/auth/teams/${team()}/api-keys?${encoded}=${mark}`, ours()),
  ],
  [
    "a text of a body",
    200,
    () =>
      attacked().send(
        "POST",
        `/auth/teams/${team()}/api-keys`,
        ours(),
        JSON.stringify({ name: attack, acls: [] }),
      ),
  ],
  [
    "a name in a body",
    400,
    () =>
      attacked().send("POST", `/auth/teams/${team()}/api-keys`, ours(), JSON.stringify({ [attack]: attack })),
  ],
])("E3: SQL in %s is a text, and no statement contains it", async (_, status, send) => {
  const before = attacked().schema();
  attacked().queries.length = 0;
  expect(await send()).toBe(status);
  expect(attacked().schema()).toBe(before);
  if (status !== 400) attacked().expectOnlyValues();
});

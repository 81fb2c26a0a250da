import { expect, it } from "vitest";
import { settingEntries, type SettingKind } from "../../../../src/accounts/keys/key-settings.js";
import { fileServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";

const shared = fileServer({ accounts: "managed" });

/** A value of each kind and what is there without one, as answers have them. */
const values: Readonly<Record<SettingKind, readonly [set: unknown, unset: unknown]>> = {
  name: ["desk", "desk"],
  acls: [allAcls, []],
  int32: [7, undefined],
  int64: ["9007199254740991", undefined],
  time: ["2027-01-01T00:00:00.000000Z", undefined],
  ranges: [["10.0.0.0/8"], undefined],
  flag: [true, false],
  mark: [true, undefined],
};

it("every setting of a key is stored, shown, written into the audit log and cleared", async () => {
  const server = shared();
  const teamId = await server.createTeam();
  const { apiKeyId } = await server.createKey(teamId);
  const change = async (apiKey: object, fieldMask: string) =>
    (await server.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey, fieldMask })).body as Fields;
  for (const [name, { kind, wire = name }] of settingEntries) {
    const [set, unset] = values[kind];
    expect([name, (await change({ [name]: set }, name))[wire]]).toEqual([name, set]);
    if (kind === "name") continue;
    expect([name, (await change({}, name))[wire]]).toEqual([name, unset]);
  }
  const { body } = await server.request("GET", `/audit/teams/${teamId}/events`);
  const { events } = body as { readonly events: readonly { readonly after?: Fields }[] };
  const audited = Object.keys(events.find(({ after }) => after !== undefined)?.after ?? {});
  expect(audited).toEqual(expect.arrayContaining(settingEntries.map(([name, { wire = name }]) => wire)));
});

type Fields = Readonly<Record<string, unknown>>;

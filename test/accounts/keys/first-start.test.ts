import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { createManagerAuthenticator } from "../../../src/accounts/authentication/authenticate-manager.js";
import { ensureFirstKey, ensureFirstManagementKey } from "../../../src/accounts/first-start.js";
import { emptyAccounts } from "../accounts.js";

const pinned = "the-operators-own-key";

async function world() {
  const empty = await emptyAccounts();
  const authenticator = createAuthenticator(empty);
  const authenticate = (secret: string | null) => authenticator.authenticate(secret, "127.0.0.1");
  const written: string[] = [];
  const start = (
    pinnedKey: string | null,
    writeFirstKey = (secret: string) => Promise.resolve(void written.push(secret)),
  ) => ensureFirstKey({ ...empty, pinnedKey, writeFirstKey });
  return { ...empty, authenticate, written, start };
}

describe("the first start", () => {
  it("creates an unmetered team and a key with all permissions, and writes the key's secret", async () => {
    const { start, written, authenticate, teams } = await world();
    const { secret, team } = await start(null);
    expect(team).toMatchObject({ name: "default", billing: "unmetered", blocked: false });
    expect(await teams.list()).toEqual([team]);
    expect(written).toEqual([secret]);
    const { key } = await authenticate(secret);
    expect(key).toMatchObject({
      name: "first key",
      acls: ["api-key:endpoint:*", "api-key:model:*"],
      teamId: team.id,
    });
    expect(key.redacted).toBe(`hk-...${secret?.slice(-4)}`);
  });

  it("uses the pinned key instead, and writes no secret", async () => {
    const { start, written, authenticate, keys } = await world();
    expect((await start(pinned)).secret).toBe(pinned);
    expect(written).toEqual([]);
    expect((await authenticate(pinned)).key.name).toBe("pinned by HEARTH_API_KEY");
    expect(await keys.list(null)).toHaveLength(1);
  });

  it.each([null, pinned])("changes nothing when repeated (pinned key: %s)", async (pinnedKey) => {
    const { start, written, keys, teams } = await world();
    const { team } = await start(pinnedKey);
    const before = [await keys.list(null), await teams.list(), [...written]];
    expect(await start(pinnedKey)).toEqual({ secret: null, team });
    expect([await keys.list(null), await teams.list(), written]).toEqual(before);
  });

  it("stores no key when it fails before the secret is written", async () => {
    const { start, written, keys, authenticate } = await world();
    await expect(start(null, () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    expect(await keys.list(null)).toEqual([]);
    const { secret } = await start(null);
    expect(written).toEqual([secret]);
    expect((await authenticate(secret)).key.name).toBe("first key");
  });

  it("writes the secret before it stores the key", async () => {
    const { start, keys } = await world();
    const keysWhenWritten: number[] = [];
    await start(null, async () => void keysWhenWritten.push((await keys.list(null)).length));
    expect(keysWhenWritten).toEqual([0]);
  });
});

describe("a later start", () => {
  it("adds the pinned key to the first team and keeps the others", async () => {
    const { start, authenticate, keys } = await world();
    const { secret, team } = await start(null);
    expect(await start(pinned)).toEqual({ secret: pinned, team });
    expect((await authenticate(pinned)).team).toEqual(team);
    expect((await authenticate(secret)).key.name).toBe("first key");
    expect(await keys.list(null)).toHaveLength(2);
  });
});

describe("the first start of the management plane", () => {
  it("creates a key for all teams with all permissions, and writes its secret before it stores the key", async () => {
    const empty = await emptyAccounts();
    const managers = createManagerAuthenticator(empty);
    const seen: [string, number][] = [];
    const writeFirstKey = async (secret: string) =>
      void seen.push([secret, (await empty.managementKeys.list()).length]);
    const secret = await ensureFirstManagementKey({ ...empty, pinnedKey: null, writeFirstKey });
    expect(secret).toMatch(/^hm-[0-9A-Za-z]{54}$/);
    expect(seen).toEqual([[secret, 0]]);
    const { key, team } = await managers.authenticate(secret, "127.0.0.1");
    expect([key.teamId, team, key.acls]).toEqual([null, null, ["team-token:endpoint:*"]]);
    expect(await ensureFirstManagementKey({ ...empty, pinnedKey: null, writeFirstKey })).toBeNull();
    expect(seen).toHaveLength(1);
  });

  it("stores the pinned key once, and writes no secret", async () => {
    const empty = await emptyAccounts();
    const writeFirstKey = () => Promise.reject(new Error("nothing to write"));
    const start = () => ensureFirstManagementKey({ ...empty, pinnedKey: pinned, writeFirstKey });
    expect([await start(), await start()]).toEqual([pinned, null]);
    expect((await createManagerAuthenticator(empty).authenticate(pinned, "127.0.0.1")).key.name).toBe(
      "pinned by HEARTH_MANAGEMENT_KEY",
    );
  });

  it("E14: rejects one secret for both planes, in either order", async () => {
    const one = await world();
    await one.start(pinned);
    const writeFirstKey = () => Promise.resolve();
    await expect(ensureFirstManagementKey({ ...one, pinnedKey: pinned, writeFirstKey })).rejects.toThrow(
      "HEARTH_MANAGEMENT_KEY is already an API key of this server",
    );
    const other = await world();
    await ensureFirstManagementKey({ ...other, pinnedKey: pinned, writeFirstKey });
    await expect(other.start(pinned)).rejects.toThrow(
      "HEARTH_API_KEY is already a management key of this server",
    );
  });
});

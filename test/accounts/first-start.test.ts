import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../src/accounts/authenticate.js";
import { ensureFirstKey } from "../../src/accounts/first-start.js";
import { emptyWorld } from "./world.js";

const pinned = "the-operators-own-key";

async function world() {
  const empty = await emptyWorld();
  const authenticator = createAuthenticator(empty);
  const authenticate = (secret: string | null) => authenticator.authenticate(secret);
  const written: string[] = [];
  const start = (
    pinnedKey: string | null,
    writeFirstKey = (secret: string) => Promise.resolve(void written.push(secret)),
  ) => ensureFirstKey({ ...empty, pinnedKey, writeFirstKey });
  return { ...empty, authenticate, written, start };
}

describe("the first start", () => {
  it("makes an unmetered team and a key that opens everything, and writes the key's secret", async () => {
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

  it("takes the operator's own key instead, and writes none", async () => {
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

  it("leaves no key that nobody knows when it is cut off before the secret is written", async () => {
    const { start, written, keys, authenticate } = await world();
    await expect(start(null, () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    expect(await keys.list(null)).toEqual([]);
    const { secret } = await start(null);
    expect(written).toEqual([secret]);
    expect((await authenticate(secret)).key.name).toBe("first key");
  });

  it("has written the secret before the key exists", async () => {
    const { start, keys } = await world();
    const keysWhenWritten: number[] = [];
    await start(null, async () => void keysWhenWritten.push((await keys.list(null)).length));
    expect(keysWhenWritten).toEqual([0]);
  });
});

describe("a later start", () => {
  it("adds the operator's own key to the first team and keeps the others", async () => {
    const { start, authenticate, keys } = await world();
    const { secret, team } = await start(null);
    expect(await start(pinned)).toEqual({ secret: pinned, team });
    expect((await authenticate(pinned)).team).toEqual(team);
    expect((await authenticate(secret)).key.name).toBe("first key");
    expect(await keys.list(null)).toHaveLength(2);
  });
});

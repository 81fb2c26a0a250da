import { expect, it } from "vitest";
import { ensureFirstKeys } from "../../../src/accounts/first-start.js";
import { createManagerAuthenticator } from "../../../src/accounts/authentication/authenticate-manager.js";
import { createAuthenticator } from "../../../src/accounts/authentication/authenticate-key.js";
import { createOnlyNode, type NodeStore } from "../../../src/store/nodes.js";
import { temporaryFolder } from "../../kit/folder.js";
import { emptyAccounts } from "../accounts.js";

const pins = { apiKey: "the-operators-own-key", managementKey: "the-operators-own-manager" };
const none = { apiKey: null, managementKey: null };

async function world(nodes: NodeStore = createOnlyNode()) {
  const stores = await emptyAccounts();
  const data = temporaryFolder();
  const start = (settings: typeof pins | typeof none, pinnedKeys: "end" | "keep" = "end") =>
    ensureFirstKeys({ data, pinnedKeys, ...settings }, { ...stores, nodes });
  const [keys, managers] = [createAuthenticator(stores), createManagerAuthenticator(stores)];
  const isOpen = async (secret: string): Promise<boolean> =>
    (await keys.authenticate(secret, "127.0.0.1").catch(() => null)) !== null;
  const manages = async (secret: string): Promise<boolean> =>
    (await managers.authenticate(secret, "127.0.0.1").catch(() => null)) !== null;
  const work = async () => [await isOpen(pins.apiKey), await manages(pins.managementKey)];
  return { ...stores, start, work };
}

it("a pinned key ends at the first start without its setting, which issues keys where no other is there, and works again when it is pinned again", async () => {
  const { start, work, keys } = await world();
  await start(pins);
  expect(await work()).toEqual([true, true]);
  const [pinned] = await keys.list(null);
  const later = await start(none);
  expect(await work()).toEqual([false, false]);
  expect([later.firstKey, later.firstManagementKey]).toEqual([
    expect.stringMatching(/^hk-/),
    expect.stringMatching(/^hm-/),
  ]);
  await start(pins);
  expect(await work()).toEqual([true, true]);
  expect(await keys.find(pinned?.id ?? "")).toMatchObject({ expireTime: null, name: pinned?.name });
});

it("a pinned key ends when its setting has another value", async () => {
  const { start, work } = await world();
  await start(pins);
  await start({ apiKey: "another-key-of-the-operator", managementKey: "another-manager-of-the-operator" });
  expect(await work()).toEqual([false, false]);
});

it("pinnedKeys: keep keeps them, another name makes one a key like all others, and limits that it got stay", async () => {
  const kept = await world();
  await kept.start(pins, "keep");
  await kept.start(none, "keep");
  expect(await kept.work()).toEqual([true, true]);

  const { start, work, keys, writes } = await world();
  await start(pins);
  const [key] = await keys.list(null);
  if (key === undefined) throw new Error("the pinned key is stored");
  await writes.commit([keys.replacement(key, { ...key, qpm: 5 })]);
  await start(none);
  await start(pins);
  expect((await keys.find(key.id))?.qpm).toBe(5);
  const resumed = await keys.find(key.id);
  if (resumed === null) throw new Error("the pinned key is stored");
  await writes.commit([keys.replacement(resumed, { ...resumed, name: "of the team" })]);
  await start(none);
  expect((await work())[0]).toBe(true);
});

it("while other servers of the database run, which may pin them, they stay", async () => {
  const node = (name: string) => ({ name, limitsPlace: null });
  const several = { ...createOnlyNode(), running: () => Promise.resolve([node("a"), node("b")]) };
  const { start, work } = await world(several);
  await start(pins);
  await start(none);
  expect(await work()).toEqual([true, true]);
});

/** Creates a key, uses it at every server, revokes it, and asks every server whether it still opens something. */
import { setTimeout as delay } from "node:timers/promises";
import { ask, askJson } from "../world/ask.js";
import { pickServer, type Load } from "../clients/load.js";
import type { ChaosRecords } from "./records.js";
import { managementKey, teams } from "./world.js";

/** A revoked key is refused after this time. */
const refusedAfterMs = 1_000;

export async function revokeKeys(load: Load, records: ChaosRecords): Promise<void> {
  const { servers } = load;
  const created = await askJson(pickServer(load), `/auth/teams/${teams.unmetered[0]}/api-keys`, {
    key: managementKey,
    body: { name: "revoked soon", acls: ["api-key:endpoint:*", "api-key:model:*"] },
  });
  const [id, secret] = [created?.["apiKeyId"], created?.["apiKey"]];
  if (typeof id !== "string" || typeof secret !== "string") return;
  const opens = async (timeoutMs: number): Promise<readonly boolean[]> =>
    Promise.all(
      servers.map(async (server) => {
        const answered = await ask(server.url(), "/v1/api-key", { key: secret, timeoutMs });
        return answered?.status === 200;
      }),
    );
  await opens(2_000);
  const revoked = await ask(pickServer(load), `/auth/api-keys/${id}`, {
    key: managementKey,
    method: "DELETE",
  });
  // It is not known whether it was revoked.
  if (revoked?.status !== 200) return;
  records.revoked += 1;
  const revokedAt = performance.now();
  for (;;) {
    const askedAt = performance.now();
    if ((await opens(30_000)).includes(true)) {
      const lateMs = askedAt - revokedAt;
      records.revokedMsMax = Math.max(records.revokedMsMax, lateMs);
      records.judge(
        lateMs <= refusedAfterMs,
        "a revoked key is refused",
        () => `a key was accepted ${lateMs.toFixed(0)} ms after it was revoked`,
      );
    }
    if (askedAt - revokedAt > refusedAfterMs) return;
    await delay(250);
  }
}

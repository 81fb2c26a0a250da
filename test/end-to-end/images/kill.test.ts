import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/system/clock.js";
import { openLedger } from "../../kit/ledger.js";
import { writePricedImageModel } from "../../kit/models/image-models.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import { until } from "../../kit/until.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { killedAfter } from "../process/killed-child.js";
import { casesOf } from "../../kit/setup/random-cases.js";

const kills = casesOf(16);
/** When so few kills have not met a run, an image and an orphaned file, more follow. */
const killsMax = 24;
const program = fileURLToPath(new URL("./image-server-child.ts", import.meta.url));
const price = 700;

it(
  "F12: killed with -9 during a generation, loses no credit, keeps every reported image, and leaves no orphaned file",
  { timeout: killsMax * 20_000 },
  async () => {
    const data = join(temporaryFolder(), "data");
    const models = await writePricedImageModel(join(temporaryFolder(), "models"), "tiny-painter", price);
    const environment = { HEARTH_DATA: data, HEARTH_MODELS: models, HEARTH_LOG_LEVEL: "error" };
    const start = (laterMs = 0) =>
      startServer({
        environment,
        imageEngine: createScriptedImageEngine(),
        clock: { ...systemClock, now: () => systemClock.now() + laterMs },
      });
    await (await start()).app.close();
    const books = await openLedger(data, "prepaid");
    await books.buy(1_000_000_000);
    const filesOf = () => readdir(join(data, "images")).catch(() => []);
    const kept = new Set<string>();
    let [held, orphans] = [0, 0];
    const hasMetAll = (): boolean => held > 0 && orphans > 0 && kept.size > 0;
    for (let round = 0; round < kills || (!hasMetAll() && round < killsMax); round += 1) {
      const lines = await killedAfter(3 + ((round * 11) % 40), program, environment);
      expect(lines[0]).toBe("listening");
      for (const line of lines) if (line.startsWith("kept ")) kept.add(line.slice("kept ".length));
      expect(await books.ledger.verify()).toEqual([]);
      if ((await books.balances()).reserved > 0n) held += 1;
      const rows = await books.database.kysely.selectFrom("keptImages").select("name").execute();
      const known = new Set(rows.map(({ name }) => name));
      orphans += (await filesOf()).filter((name) => !known.has(name)).length;
      // Every image that was reported to a client can be fetched.
      expect([...kept].filter((name) => !known.has(name))).toEqual([]);
    }
    // Otherwise no server had an active run when it was killed.
    expect([held > 0, orphans > 0, kept.size > 0]).toEqual([true, true, true]);
    const { app, url } = await start();
    const known = await books.database.kysely.selectFrom("keptImages").select("name").execute();
    const names = known.map(({ name }) => name).sort();
    let files: readonly string[] = [];
    const look = setInterval(() => void filesOf().then((found) => (files = found)), 5);
    onTestFinished(() => clearInterval(look));
    await until(() => files.length === names.length);
    expect([...files].sort()).toEqual(names);
    for (const name of kept) expect((await fetch(`${url}/images/${name}`)).status).toBe(200);
    expect(await books.balances()).toMatchObject({ reserved: 0n });
    expect(await books.ledger.verify()).toEqual([]);
    // The team pays for the runs that were settled: for each, the images that it generated.
    const { revenue } = await books.balances();
    expect(Number(revenue)).toBe(names.length * price);
    await app.close();
    await start(2 * 60 * 60 * 1000);
    await until(() => files.length === 0);
    expect(files).toEqual([]);
  },
);

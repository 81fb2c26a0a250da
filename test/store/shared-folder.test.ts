import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readStorageId } from "../../src/store/storage-id.js";
import { openModelSettings } from "../../src/models/settings-store.js";
import { systemRandom } from "../../src/system/clock.js";
import { temporaryFolder } from "../kit/folder.js";

it("servers that start at the same time with a new shared folder read the same name of it, and leave nothing else there", async () => {
  const parent = temporaryFolder();
  for (let round = 0; round < 400; round++) {
    const sharedFolder = join(parent, `round-${round}`, "shared");
    const names = await Promise.all(
      Array.from({ length: 4 }, () => readStorageId({ data: parent, sharedFolder }, systemRandom)),
    );
    expect(new Set(names).size).toBe(1);
    expect(readdirSync(sharedFolder)).toEqual(["storage-id"]);
  }
});

it("settings of models are written whole beside another writer, whose file stays, and nothing else is left there", () => {
  const folder = temporaryFolder();
  const file = join(folder, "model-settings.yaml");
  const half = "# half of what another ser";
  writeFileSync(`${file}.new`, half);
  const settings = openModelSettings(file, () => ({ settings: {}, file: null }));
  settings.update("zeta", { slots: 2 });
  expect(settings.read()).toEqual({ settings: { zeta: { slots: 2 } }, problem: null });
  expect(readFileSync(`${file}.new`, "utf8")).toBe(half);
  expect(readdirSync(folder).sort()).toEqual(["model-settings.yaml", "model-settings.yaml.new"]);
});

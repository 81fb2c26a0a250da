import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { storageIdOf } from "../../src/app/database/storage-id.js";
import { systemRandom } from "../../src/system.js";
import { temporaryFolder } from "../kit/folder.js";

it("servers that start at the same time with a new shared folder read the same name of it, and leave nothing else there", async () => {
  const parent = temporaryFolder();
  for (let round = 0; round < 400; round++) {
    const sharedFolder = join(parent, `round-${round}`, "shared");
    const names = await Promise.all(
      Array.from({ length: 4 }, () => storageIdOf({ data: parent, sharedFolder }, systemRandom)),
    );
    expect(new Set(names).size).toBe(1);
    expect(readdirSync(sharedFolder)).toEqual(["storage-id"]);
  }
});

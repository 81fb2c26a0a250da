import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import { testKey } from "../../kit/server/settings.js";

it("the log names the places of an internal error in the sources, not in what was built from them", async () => {
  const data = join(temporaryFolder(), "data");
  const { url, stderr } = await startProcess({ HEARTH_DATA: data });
  const database = new Database(join(data, "hearth.db"));
  database.exec("DROP TABLE responses");
  database.close();
  const headers = { authorization: `Bearer ${testKey}` };
  expect((await fetch(`${url}/v1/responses/resp_none`, { headers })).status).toBe(500);
  await expect
    .poll(stderr)
    .toMatch(/no such table: responses.*\/src\/inference\/responses\/store\/responses\.ts:\d+:\d+/);
  expect(stderr()).not.toContain("dist/chunks");
});

import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockFolder } from "../../src/store/folder/lock.js";
import { temporaryFolder } from "./records.js";

it("allows one server at a time in a data folder", () => {
  const folder = join(temporaryFolder(), "data");
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder, 0)).toThrow(
    `another Hearth server (pid ${process.pid}) is using the data folder ${folder}`,
  );
  unlock();
  unlock();
  const again = lockFolder(folder);
  expect(() => lockFolder(folder, 0)).toThrow("another Hearth server");
  again();
});

it("excludes another process, and a killed process leaves no lock behind", async () => {
  const folder = temporaryFolder();
  const program = `import { lockFolder } from "./src/store/folder/lock.ts";
    lockFolder(process.argv[1]);
    process.stdout.write("locked");
    setInterval(() => undefined, 1000);`;
  const child = execFile(process.execPath, [
    "--import",
    "tsx",
    "--input-type=module",
    "--eval",
    program,
    folder,
  ]);
  if (child.stdout === null) throw new Error("no output to read");
  await once(child.stdout, "data");
  expect(() => lockFolder(folder, 0)).toThrow("another Hearth server");
  // Does not wait for the exit: a start right after a kill finds a process that is still exiting.
  child.kill("SIGKILL");
  const unlock = lockFolder(folder);
  unlock();
  await once(child, "exit");
});

it("names the folder that cannot be used, and the reason", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "data"), "");
  expect(() => lockFolder(join(folder, "data"))).toThrow(
    `cannot use the data folder ${join(folder, "data")}: there is a file where the folder should be (EEXIST)`,
  );
});

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  abandonRestore,
  beginRestore,
  install,
  isRestoreUnfinished,
  undoRestore,
  type Move,
} from "../../../src/store/backup/swap.js";
import { openDatabase } from "../../../src/store/database.js";
import { temporaryFolder } from "../records.js";

/** A data folder with former files, and the same files restored and verified. */
async function prepared(): Promise<string> {
  const folder = temporaryFolder();
  write(folder, "former");
  writeFileSync(join(folder, "server.lock"), "lock");
  write(await beginRestore(folder), "restored");
  return folder;
}

function write(folder: string, content: string): void {
  mkdirSync(join(folder, "images"));
  for (const name of ["hearth.db", "first-key", join("images", "a.png")])
    writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, `only-${content}`), content);
}

/** The contents of the files of a folder, without the files of the restore itself. */
function contentsOf(folder: string): readonly (readonly [string, string])[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !name.startsWith("before-restore-"))
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
}

const contents = (content: string): readonly (readonly [string, string])[] =>
  ["first-key", "hearth.db", "images/a.png", `only-${content}`, "server.lock"].map(
    (name) => [name, name === "server.lock" ? "lock" : content] as const,
  );

/** Moves, until it dies at a step. */
function dying(step: number): Move {
  let steps = 0;
  return async (from, to) => {
    steps += 1;
    if (steps === step) throw new Error("killed");
    await rename(from, to);
  };
}

/** Moves of one installation: three of the state, and each file and folder twice. */
const steps = 3 + 4 + 4;

describe("M10: a restore that dies before it has moved anything", () => {
  it("leaves an empty folder in which no server begins anew, unless it is told to", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "hearth.db");
    await beginRestore(folder);
    await expect(openDatabase(file)).rejects.toThrow(
      "`hearth restore` was interrupted in this folder, which has no database: run it again",
    );
    expect(existsSync(file)).toBe(false);
    await (await openDatabase(file, { newDatabase: "allowed" })).close();
  });

  it("leaves a folder with a database as it was", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "hearth.db");
    await (await openDatabase(file)).close();
    await beginRestore(folder);
    await (await openDatabase(file)).close();
    await abandonRestore(folder);
    expect(existsSync(file)).toBe(true);
  });
});

describe("F12: a restore that dies", () => {
  it.each(Array.from({ length: steps }, (_, index) => index + 1))(
    "before move %i leaves a state in which no database is opened, and which leads back to the former files",
    async (step) => {
      const folder = await prepared();
      await expect(install(folder, "now", dying(step))).rejects.toThrow("killed");
      if (isRestoreUnfinished(folder))
        await expect(openDatabase(join(folder, "hearth.db"))).rejects.toThrow(
          "`hearth restore` was interrupted in this folder: run it again",
        );
      // Dies once at each of its own steps, too.
      for (let again = 1; isRestoreUnfinished(folder); again++)
        await undoRestore(folder, dying(again)).catch(() => false);
      await abandonRestore(folder);
      expect(contentsOf(folder)).toEqual(contents("former"));
      write(await beginRestore(folder), "restored");
      expect(await install(folder, "now")).toBe(join(folder, "before-restore-now"));
      expect(contentsOf(folder)).toEqual(contents("restored"));
    },
  );

  it("after its last move is done: the former files are in their own folder, and nothing is undone", async () => {
    const folder = await prepared();
    const former = await install(folder, "now", dying(steps + 1));
    expect(await undoRestore(folder)).toBe(false);
    expect(contentsOf(folder)).toEqual(contents("restored"));
    expect(readFileSync(join(former ?? "", "first-key"), "utf8")).toBe("former");
    expect(existsSync(join(former ?? "", "restored"))).toBe(false);
  });

  it("leaves what a checkout has in the folder where it is", async () => {
    const folder = await prepared();
    writeFileSync(join(folder, ".gitignore"), "*\n");
    await install(folder, "now");
    expect(existsSync(join(folder, ".gitignore"))).toBe(true);
  });

  it("and two restores in one second keep two folders of former files", async () => {
    const folder = await prepared();
    const first = await install(folder, "now");
    write(await beginRestore(folder), "restored");
    expect(await install(folder, "now")).toBe(`${String(first)}-2`);
  });
});

import { appendFile, rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { FileCache } from "../../src/models/folders/file-cache.js";
import { useFolder } from "./folder.js";

const folder = useFolder();

it("what was read of files is read again only after one of them has changed, or was not asked for in between", async () => {
  const files = [await folder.write("a", "one"), await folder.write("b", "two")];
  const cache = new FileCache<number>();
  let reads = 0;
  const get = async (): Promise<number> => {
    const value = await cache.get(files, () => Promise.resolve((reads += 1)));
    cache.sweep();
    return value;
  };
  expect([await get(), await get()]).toEqual([1, 1]);
  await appendFile(files[1] ?? "", "more");
  expect([await get(), await get()]).toEqual([2, 2]);
  await rm(files[0] ?? "");
  expect([await get(), await get()]).toEqual([3, 3]);
  cache.sweep();
  expect(await get()).toBe(4);
});

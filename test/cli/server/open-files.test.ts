import { expect, it } from "vitest";
import { readOpenFilesMax } from "../../../src/cli/server/open-files.js";

it.each([
  ["Max open files            64                   64                   files     \n", 64],
  ["Max open files            1024                 1048576              files     \n", 1_048_576],
  ["Max open files            1024                 unlimited            files     \n", Infinity],
  ["", Infinity],
])("the limit of open files is the hard one: %j", (line, max) => {
  const limits = `Limit                     Soft Limit           Hard Limit           Units     \n${line}Max locked memory 1 2 bytes\n`;
  expect(readOpenFilesMax(limits)).toBe(max);
});

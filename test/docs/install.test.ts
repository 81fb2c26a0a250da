import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { root } from "../kit/folder.js";

const manifest = z.object({ dependencies: z.object({ "node-llama-cpp": z.string() }) });

it("the install guide adds the CUDA binaries of the llama.cpp that package.json pins", () => {
  const guide = readFileSync(join(root, "src/docs/install.md"), "utf8");
  const { dependencies } = manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const versions = [...guide.matchAll(/@node-llama-cpp\/[\w-]+@([\d.]+)/g)].map(([, version]) => version);
  expect(versions).toEqual([dependencies["node-llama-cpp"], dependencies["node-llama-cpp"]]);
});

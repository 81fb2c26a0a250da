import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { modelSettingsSchema } from "../../src/models/settings.js";
import { root } from "../kit/folder.js";

/** Settings that are refused. */
const refused = ["draft"];

/** Returns the names of settings; settings of a group are `group.name`. */
function namesOf(shape: Readonly<Record<string, unknown>>, group = ""): readonly string[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? namesOf(inner.shape, `${name}.`) : [`${group}${name}`];
  });
}

it("the guide to settings has one line for each setting of a model, and no other", () => {
  const guide = readFileSync(join(root, "src/docs/settings.md"), "utf8");
  const [, section = ""] = guide.split("## Settings of one model");
  const lines = [...(section.split("\n## ")[0]?.matchAll(/^\| `([\w.]+)`/gm) ?? [])].map(([, name]) => name);
  const settings = namesOf(modelSettingsSchema.shape).filter((name) => !refused.includes(name));
  expect([...lines].sort()).toEqual([...settings].sort());
});

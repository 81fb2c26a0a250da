import { readFileSync } from "node:fs";

/** The golden transcript of a dialect with that file name. */
export function fixture(dialect: string, name: string): string {
  return readFileSync(new URL(`../fixtures/${dialect}/${name}`, import.meta.url), "utf8");
}

/** A golden JSON answer as it is on the wire: on one line. */
export function jsonFixture(dialect: string, name: string): string {
  return JSON.stringify(JSON.parse(fixture(dialect, name)));
}

import { readFileSync } from "node:fs";

/** Reads a golden transcript of a dialect. */
export function fixture(dialect: string, name: string): string {
  return readFileSync(new URL(`../fixtures/${dialect}/${name}`, import.meta.url), "utf8");
}

/** Reads a golden JSON response as one line, as it is sent. */
export function jsonFixture(dialect: string, name: string): string {
  return JSON.stringify(JSON.parse(fixture(dialect, name)));
}

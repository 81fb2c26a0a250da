import { describe, expect, it } from "vitest";
import { RecentPrompts } from "../../../src/engine/remote/recent-prompts.js";

const [first, second] = [{ name: "first" }, { name: "second" }];
const prompt = (...parts: readonly (readonly [tokens: number, start: number])[]): Uint32Array =>
  Uint32Array.from(parts.flatMap(([tokens, start]) => Array.from({ length: tokens }, (_, at) => start + at)));

describe("the servers that have read the latest prompts", () => {
  it("are found by the next turn of a conversation, even if the end of its last prompt is written anew", () => {
    const recent = new RecentPrompts();
    recent.remember("team", prompt([300, 0], [16, 9_000]), first);
    expect(recent.find("team", prompt([300, 0], [200, 5_000]))).toBe(first);
    recent.remember("team", prompt([300, 0], [200, 5_000]), second);
    expect(recent.find("team", prompt([300, 0], [200, 5_000], [90, 7_000]))).toBe(second);
  });

  it("are not found by another team, another conversation with the same first block, or a short prompt", () => {
    const recent = new RecentPrompts();
    recent.remember("team", prompt([400, 0]), first);
    expect(recent.find("other", prompt([500, 0]))).toBeNull();
    expect(recent.find("team", prompt([64, 0], [500, 3_000]))).toBeNull();
    expect(recent.find("team", prompt([40, 0]))).toBeNull();
    recent.remember("team", prompt([70, 0]), second);
    expect(recent.find("team", prompt([64, 0], [200, 5_000]))).toBeNull();
  });
});

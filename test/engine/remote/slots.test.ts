import { describe, expect, it } from "vitest";
import { SlotTable } from "../../../src/engine/remote/slots.js";

const tokens = (from: number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, at) => from + at);
const joined = (...parts: readonly Uint32Array[]): Uint32Array =>
  Uint32Array.from(parts.flatMap((part) => [...part]));

function tableOf(count: number): SlotTable {
  const table = new SlotTable();
  table.reset(count);
  return table;
}

describe("the slots of a llama-server", () => {
  it("let a conversation of a team continue on its own slot", () => {
    const table = tableOf(3);
    const first = table.enter("a", tokens(1, 100), true);
    const other = table.enter("a", tokens(5000, 100), true);
    first?.leave(tokens(1, 150));
    other?.leave(tokens(5000, 120));
    const next = table.enter("a", joined(tokens(1, 150), tokens(900, 40)), true);
    expect(next).toMatchObject({ slot: first?.slot, reusesPrefixes: true, sharedTokens: 150 });
  });

  it("let no team continue on what another has left, also where no other slot is free", () => {
    const table = tableOf(1);
    table.enter("a", tokens(1, 100), true)?.leave(tokens(1, 150));
    const other = table.enter("b", tokens(1, 150), true);
    expect(other).toMatchObject({ slot: 0, reusesPrefixes: false, sharedTokens: 0 });
    other?.leave(tokens(1, 150));
    expect(table.enter("a", tokens(1, 150), true)).toMatchObject({ reusesPrefixes: false });
  });

  it("let nothing continue where the server may exchange what a slot holds", () => {
    const table = tableOf(1);
    table.enter("a", tokens(1, 400), true)?.leave(tokens(1, 400));
    // A quarter of the slot would be kept.
    const short = table.enter("a", joined(tokens(1, 100), tokens(7000, 50)), true);
    expect(short?.reusesPrefixes).toBe(false);
    short?.leave(tokens(1, 60));
    // Less than a tenth of the prompt would be found.
    expect(table.enter("a", joined(tokens(1, 60), tokens(8000, 1000)), true)?.reusesPrefixes).toBe(false);
  });

  it("forget what they hold after a failure, after a restart of the server, and where nothing is to be reused", () => {
    const table = tableOf(1);
    table.enter("a", tokens(1, 100), true)?.leave(null);
    const second = table.enter("a", tokens(1, 100), true);
    expect(second?.reusesPrefixes).toBe(false);
    second?.leave(tokens(1, 100));
    expect(table.enter("a", tokens(1, 120), false)?.reusesPrefixes).toBe(false);
    const restarted = tableOf(1);
    restarted.enter("a", tokens(1, 100), true)?.leave(tokens(1, 100));
    restarted.reset(1);
    expect(restarted.enter("a", tokens(1, 120), true)?.reusesPrefixes).toBe(false);
  });

  it("are taken once each: unused ones first, then the one that was left first", () => {
    const table = tableOf(2);
    const [first, second] = [table.enter("a", tokens(1, 50), true), table.enter("b", tokens(1, 50), true)];
    expect(table.enter("c", tokens(1, 50), true)).toBeNull();
    second?.leave(tokens(1, 50));
    first?.leave(tokens(1, 50));
    expect(table.enter("c", tokens(1, 50), true)?.slot).toBe(second?.slot);
  });
});

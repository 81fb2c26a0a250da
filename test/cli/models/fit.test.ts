import { describe, expect, it } from "vitest";
import { commandEnvironment } from "./environment.js";

/** 2 layers with 1 head of 32 keys and values: 256 bytes a token, and 5 sequences. */
const shape = { contextLength: 1_048_576 };
const trained = 1_048_576;

interface Report {
  readonly verdict: string;
  readonly contextTokens: number;
  readonly fittingTokens: number | null;
  readonly fittingTokensSmallCache: number | null;
  readonly neededBytes: number;
  readonly memory: { readonly availableBytes: number; readonly limitBytes: number };
  readonly tokensPerSecond: number | null;
}

describe("hearth fit", () => {
  it("says that a model fits, with what it needs, what is available, and about how fast it is", async () => {
    const { gguf, hearth, json, exitCode } = commandEnvironment();
    gguf("models/zeta.gguf");
    const report = await json<Report>("fit", "zeta");
    expect(report).toMatchObject({ id: "zeta", verdict: "fits", contextTokens: 2048, fittingTokens: 2048 });
    expect(report.memory.availableBytes).toBeGreaterThan(report.neededBytes);
    expect(report.tokensPerSecond).toBeGreaterThan(1);
    expect(exitCode()).toBe(0);
    const text = await hearth("fit", "zeta");
    expect(text).toMatch(/^zeta\n +verdict +fits\n +context +2048 tokens\n +needs +about /);
    expect(text).toMatch(/^ +speed +about [\d.]+ tokens a second \(memory is read at [\d.]+ GB\/s\)$/m);
  });

  it("says with which context, or with which KV cache, a model fits that does not fit as it is", async () => {
    const { gguf, hearth, json, exitCode } = commandEnvironment({ HEARTH_MEMORY_BYTES_MAX: "1000000000" });
    gguf("models/zeta.gguf", shape);
    const report = await json<Report>("fit", "zeta", "--context", String(trained));
    const { fittingTokens, fittingTokensSmallCache } = report;
    expect(report).toMatchObject({ verdict: "fits with a shorter context", contextTokens: trained });
    expect(report.memory.limitBytes).toBe(1_000_000_000);
    expect(fittingTokens).toBeGreaterThan(1024);
    expect(fittingTokensSmallCache).toBeGreaterThan(fittingTokens ?? 0);
    expect(exitCode()).toBe(0);
    const fitting = await json<Report>("fit", "zeta", "--context", String(fittingTokens));
    expect(fitting.verdict).toBe("fits");
    const longer = await json<Report>("fit", "zeta", "--context", String((fittingTokens ?? 0) + 1024));
    expect(longer.verdict).toBe("fits with a shorter context");
    expect(await hearth("fit", "zeta", "--context", String(trained))).toMatch(
      new RegExp(`^ +would fit +with context=${fittingTokens}, or kvCache=q8_0 and context=`, "m"),
    );
    await hearth("set", "zeta", "kvCache=q8_0");
    const small = await json<Report>("fit", "zeta", "--context", String(fittingTokensSmallCache));
    expect(small.verdict).toBe("fits");
  });

  it("exits with code 1 when nothing helps", async () => {
    const { gguf, hearth, exitCode } = commandEnvironment({ HEARTH_MEMORY_BYTES_MAX: "1000000" });
    gguf("models/zeta.gguf");
    const text = await hearth("fit", "zeta");
    expect(text).toMatch(/^ +verdict +does not fit$/m);
    expect(text).toMatch(/^ +would fit +on a machine with more memory/m);
    expect(exitCode()).toBe(1);
  });

  it("refuses a context that is no number, and a model that cannot be used", async () => {
    const { write, hearth } = commandEnvironment();
    write("models/broken.gguf", "no GGUF");
    await expect(hearth("fit", "hearth-tiny", "--context", "8k")).rejects.toThrow(
      "It must be a number of tokens",
    );
    await expect(hearth("fit", "broken")).rejects.toThrow("'broken' cannot be used: its file");
  });

  it("says of a model on a remote engine that it runs there, whatever the memory here", async () => {
    const engines = JSON.stringify([{ kind: "vllm", url: "http://10.0.0.5:8000", models: ["zeta"] }]);
    const { gguf, hearth, json, exitCode } = commandEnvironment({
      HEARTH_MEMORY_BYTES_MAX: "1000000",
      HEARTH_ENGINES: engines,
    });
    gguf("models/zeta.gguf");
    const engine = "vllm at 10.0.0.5:8000";
    expect(await json("fit", "zeta")).toEqual({ id: "zeta", verdict: "runs on an engine", engine });
    expect(await hearth("fit", "zeta")).toContain(
      `runs on an engine, ${engine}: only its vocabulary takes memory here`,
    );
    expect(exitCode()).toBe(0);
  });
});

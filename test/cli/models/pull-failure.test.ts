import { describe, expect, it } from "vitest";
import { explainPullFailure } from "../../../src/cli/models/pull.js";
import { HearthError } from "../../../src/core/errors.js";

const progress = {
  phase: "downloading",
  file: "m.gguf",
  bytesDone: 12_000_000,
  bytesTotal: 4_000_000_000,
  bytesPerSecond: 1,
  filesDone: 0,
  filesTotal: 1,
} as const;
const broken = new HearthError("model_unavailable", "'host' cannot be reached.", { code: "no_network" });
const full = new HearthError("model_unavailable", "The disk is full.", { code: "disk_full" });

describe("a pull that does not end", () => {
  it.each([
    [
      "by Ctrl-C",
      broken,
      true,
      progress,
      "stopped; 12.0 MB of 4.0 GB are kept, and `hearth pull x` goes on from there",
    ],
    [
      "by Ctrl-C at its beginning",
      broken,
      true,
      null,
      "stopped before anything was downloaded; `hearth pull x` starts again",
    ],
    [
      "by a broken connection",
      broken,
      false,
      progress,
      "'host' cannot be reached. 12.0 MB are kept, and `hearth pull x` goes on from there.",
    ],
    ["before its first byte", broken, false, null, "'host' cannot be reached."],
    ["by an error that says what was kept", full, false, progress, "The disk is full."],
  ])("%s: says why, what was kept, and what goes on", (_, thrown, isStopped, latest, message) => {
    const shown = explainPullFailure(thrown, { what: "x", progress: latest, isStopped });
    expect(shown instanceof Error ? shown.message : shown).toBe(message);
  });
});

import { describe, expect, it } from "vitest";
import type { HearthError } from "../../../src/core/errors.js";
import { until } from "../../harness.js";
import { writeCaptioner, writeSlowCaptioner } from "../../vision-models/captioner.js";
import { black, blue, green, picture, red, seeing } from "./seeing.js";

describe("a captioner in its published layout", () => {
  it("says what is on each picture, and how many tokens that took", async () => {
    const { describe: look } = seeing(writeCaptioner);
    expect(await look(picture([red]))).toEqual({ text: "red picture", tokens: 3 });
    expect(await look(picture([green]))).toEqual({ text: "green picture", tokens: 3 });
    expect(await look(picture([blue], 2048, 40))).toEqual({ text: "blue picture", tokens: 3 });
  });

  it("looks at every quarter as well where a closer look is asked for, and counts that", async () => {
    const { describe: look } = seeing(writeCaptioner);
    const quarters = picture([red, green, blue, red]);
    expect(await look(quarters, { detail: "high" })).toEqual({
      text: "red picture\ntop left: red picture\ntop right: green picture\nbottom left: blue picture\nbottom right: red picture",
      tokens: 15,
    });
    expect(await look(quarters, { detail: "low" })).toEqual({ text: "red picture", tokens: 3 });
    expect((await look(picture([red], 64, 64), { detail: "high" })).text).toBe("red picture");
  });

  it("ends by itself when it never says that it has", async () => {
    const { describe: look } = seeing(writeCaptioner);
    const { text, tokens } = await look(picture([black]));
    expect([new Set(text.split(" ")), tokens]).toEqual([new Set(["dark"]), 128]);
  });
});

describe("the vision engine", () => {
  it("loads a model once for all who ask, keeps it, and lets it go when nobody has asked for a while", async () => {
    const { describe: look, engine, clock } = seeing(writeCaptioner);
    await Promise.all([look(picture([red])), look(picture([green])), look(picture([blue]))]);
    expect(engine.residents()).toMatchObject([{ id: "seer-1m", device: "cpu", slots: 1 }]);
    clock.advance(1000);
    expect(engine.residents()).toEqual([]);
    expect((await look(picture([green]))).text).toBe("green picture");
  });

  it("leaves a picture that nobody waits for, at once where it waits, at the next step where it is looked at", async () => {
    const { describe: look } = seeing(writeCaptioner);
    await look(picture([red]));
    const leaving = new AbortController();
    const asked = [black, black, red].map((colour) => look(picture([colour]), {}, leaving.signal));
    const stays = look(picture([green]));
    leaving.abort(new Error("gone"));
    for (const each of asked) await expect(each).rejects.toThrow("gone");
    expect((await stays).text).toBe("green picture");
  });

  it("refuses a signal that has aborted before anything is loaded", async () => {
    const { describe: look, engine } = seeing(writeCaptioner);
    await expect(look(picture([red]), {}, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(engine.residents()).toEqual([]);
  });

  it("closes in the middle of a description without ending the process, and refuses what comes later", async () => {
    const { describe: look, engine } = seeing(writeCaptioner);
    await look(picture([red]));
    const refusals = [black, black].map((colour) => look(picture([colour])).catch((error: unknown) => error));
    await engine.close();
    for (const refusal of refusals)
      expect(await refusal).toMatchObject({ kind: "overloaded", message: /shutting down/ });
    await expect(look(picture([red]))).rejects.toThrow(/shutting down/);
  });

  it("keeps the event loop free while it loads and looks", async () => {
    const { describe: look } = seeing(writeSlowCaptioner);
    const done = Promise.all([red, blue].map((colour) => look(picture([colour], 2048, 2048))));
    let longestMs = 0;
    let isDone = false;
    let last = performance.now();
    void done.then(() => (isDone = true));
    await until(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - last);
      last = now;
      return isDone;
    });
    await done;
    expect(longestMs).toBeLessThan(250);
  });

  it("tells who cannot be loaded, logs why, and says nothing of folders", async () => {
    const {
      describe: look,
      logs,
      model,
    } = seeing((folder) => {
      writeCaptioner(folder);
    }, {});
    const broken = seeing(() => undefined);
    const refusal = await broken.describe(picture([red])).catch((error: unknown) => error as HearthError);
    expect(refusal).toMatchObject({ kind: "model_unavailable", param: "model" });
    expect((refusal as HearthError).message).not.toContain(
      broken.model.path.slice(0, -"/config.json".length),
    );
    expect(broken.logs.join()).toContain("config.json");
    expect((await look(picture([red]))).text).toBe("red picture");
    expect([logs, model.manifest.id]).toEqual([[], "seer-1m"]);
  });

  it("does not load weights that are not what their manifest says", async () => {
    const { describe: look } = seeing(writeCaptioner, { verify: () => Promise.resolve("it is damaged.") });
    await expect(look(picture([red]))).rejects.toThrow("The model 'seer-1m' cannot be used: it is damaged.");
  });
});

import { describe, expect, it } from "vitest";
import type { HearthError } from "../../../src/core/errors.js";
import { until } from "../../kit/until.js";
import { writeCaptioner, writeSlowCaptioner } from "../../kit/models/vision/captioner.js";
import { black, blue, green, picture, red, startVisionEngine } from "./test-engine.js";

describe("a captioning model in its published layout", () => {
  it("describes each image and returns the number of tokens", async () => {
    const { describe: look } = startVisionEngine(writeCaptioner);
    expect(await look(picture([red]))).toEqual({ text: "red picture", tokens: 3 });
    expect(await look(picture([green]))).toEqual({ text: "green picture", tokens: 3 });
    expect(await look(picture([blue], 2048, 40))).toEqual({ text: "blue picture", tokens: 3 });
  });

  it("also describes every quarter when high detail is requested, and counts those tokens", async () => {
    const { describe: look } = startVisionEngine(writeCaptioner);
    const quarters = picture([red, green, blue, red]);
    expect(await look(quarters, { detail: "high" })).toEqual({
      text: "red picture\ntop left: red picture\ntop right: green picture\nbottom left: blue picture\nbottom right: red picture",
      tokens: 15,
    });
    expect(await look(quarters, { detail: "low" })).toEqual({ text: "red picture", tokens: 3 });
    expect((await look(picture([red], 64, 64), { detail: "high" })).text).toBe("red picture");
  });

  it("stops at the token limit when it never samples the end token", async () => {
    const { describe: look } = startVisionEngine(writeCaptioner);
    const { text, tokens } = await look(picture([black]));
    expect([new Set(text.split(" ")), tokens]).toEqual([new Set(["dark"]), 128]);
  });
});

describe("the vision engine", () => {
  it("loads a model once for concurrent requests, keeps it, and unloads it after the keep-alive time", async () => {
    const { describe: look, engine, clock } = startVisionEngine(writeCaptioner);
    await Promise.all([look(picture([red])), look(picture([green])), look(picture([blue]))]);
    expect(engine.residents()).toMatchObject([{ id: "seer-1m", device: "cpu", slots: 1 }]);
    clock.advance(1000);
    expect(engine.residents()).toEqual([]);
    expect((await look(picture([green]))).text).toBe("green picture");
  });

  it("drops an aborted description at once while it waits, and at the next step when it is running", async () => {
    const { describe: look } = startVisionEngine(writeCaptioner);
    await look(picture([red]));
    const leaving = new AbortController();
    const asked = [black, black, red].map((colour) => look(picture([colour]), {}, leaving.signal));
    const stays = look(picture([green]));
    leaving.abort(new Error("gone"));
    for (const each of asked) await expect(each).rejects.toThrow("gone");
    expect((await stays).text).toBe("green picture");
  });

  it("rejects an aborted signal before anything is loaded", async () => {
    const { describe: look, engine } = startVisionEngine(writeCaptioner);
    await expect(look(picture([red]), {}, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(engine.residents()).toEqual([]);
  });

  it("closes during a description without ending the process, and rejects later requests", async () => {
    const { describe: look, engine } = startVisionEngine(writeCaptioner);
    await look(picture([red]));
    const refusals = [black, black].map((colour) => look(picture([colour])).catch((error: unknown) => error));
    await engine.close();
    for (const refusal of refusals)
      expect(await refusal).toMatchObject({ kind: "overloaded", message: /shutting down/ });
    await expect(look(picture([red]))).rejects.toThrow(/shutting down/);
  });

  it("keeps the event loop free while it loads and describes", async () => {
    const { describe: look } = startVisionEngine(writeSlowCaptioner);
    const done = look(picture([red], 512, 512));
    let isDone = false;
    void done.then(() => (isDone = true));
    let turns = 0;
    await until(() => {
      turns += 1;
      return isDone;
    });
    await done;
    // In this thread, the work would leave a turn for each of its few steps.
    expect(turns).toBeGreaterThan(50);
  });

  it("reports a model that cannot be loaded without naming folders, and logs the reason", async () => {
    const {
      describe: look,
      logs,
      model,
    } = startVisionEngine((folder) => {
      writeCaptioner(folder);
    }, {});
    const broken = startVisionEngine(() => undefined);
    const refusal = await broken.describe(picture([red])).catch((error: unknown) => error as HearthError);
    expect(refusal).toMatchObject({ kind: "model_unavailable", param: "model" });
    expect((refusal as HearthError).message).not.toContain(
      broken.model.path.slice(0, -"/config.json".length),
    );
    expect(broken.logs.join()).toContain("config.json");
    expect((await look(picture([red]))).text).toBe("red picture");
    expect([logs, model.manifest.id]).toEqual([[], "seer-1m"]);
  });

  it("does not load weights that do not match their manifest", async () => {
    const { describe: look } = startVisionEngine(writeCaptioner, {
      verify: () => Promise.resolve("it is damaged."),
    });
    await expect(look(picture([red]))).rejects.toThrow("The model 'seer-1m' cannot be used: it is damaged.");
  });
});

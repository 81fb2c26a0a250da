import { join } from "node:path";
import { expect, it } from "vitest";
import { writePricedImageModel } from "../../kit/models/image-models.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import { testKey } from "../../kit/server/settings.js";

it.each(["SIGTERM", "SIGINT"] as const)(
  "%s during a generation ends the process cleanly: the runtime is never terminated inside a step",
  async (signal) => {
    const models = await writePricedImageModel(join(temporaryFolder(), "models"), "tiny-painter", 0, 1000);
    const server = await startProcess({ HEARTH_MODELS: models, HEARTH_SHUTDOWN_GRACE_MS: "0" });
    const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
    const asked = fetch(`${server.url}/v1/images/generations`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "tiny-painter", prompt: "red", n: 10 }),
    }).catch(() => null);
    let steps = 0;
    const look = async (): Promise<void> => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      steps = Number(/hearth_image_steps_total\{.*\} (\d+)/.exec(metrics)?.[1] ?? 0);
      if (steps === 0) await look();
    };
    await look();
    server.child.kill(signal);
    expect(await server.exited).toBe(0);
    expect(server.stderr()).not.toContain("terminate called");
    expect(steps).toBeLessThan(10_000);
    await asked;
  },
);

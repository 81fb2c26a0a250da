import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { startProcess } from "../../kit/program.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { writeSlowCaptioner } from "../../kit/models/vision/captioner.js";
import { dataUrl, imagePart } from "./caption-server.js";

it("F13: a server that is stopped while it describes an image exits by itself with code 0", async () => {
  const models = temporaryFolder();
  mkdirSync(join(models, "test-seer"));
  writeSlowCaptioner(join(models, "test-seer"));
  const server = await startProcess({
    HEARTH_MODELS: models,
    HEARTH_VISION_MODEL: "test-seer",
    HEARTH_SHUTDOWN_GRACE_MS: "0",
  });
  const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
  // The model repeats what it says of dark images without end: there is always a step under way.
  const image = imagePart(await dataUrl("black"), "high");
  const asked = Array.from({ length: 8 }, (_, at) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        model: builtInModel,
        messages: [{ role: "user", content: [image, { type: "text", text: String(at) }] }],
      }),
    }).then(
      () => "answered",
      () => "left",
    ),
  );
  let isLooking = false;
  const look = async (): Promise<void> => {
    while (!isLooking) {
      const answer = await fetch(`${server.url}/v1/hearth/ps`, { headers });
      isLooking = (await answer.text()).includes("test-seer");
    }
  };
  await Promise.all([look(), until(() => isLooking)]);
  server.child.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  expect(server.stderr()).not.toMatch(/terminate called|Napi/);
  await Promise.all(asked);
});

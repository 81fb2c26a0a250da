import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { systemClock } from "../../../src/system/clock.js";
import { startServer } from "../../kit/server.js";
import { until } from "../../kit/until.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import {
  requestImages,
  startImageServer,
  imageFilesOf,
  messageOf,
  imageModelId,
  price,
} from "./image-server.js";

describe("the URL of an image", () => {
  it("serves it for an hour, needs no key, and executes nothing", async () => {
    const server = await startImageServer();
    const { data = [] } = await server.client.images.generate({
      model: imageModelId,
      prompt: "red",
      n: 2,
      output_format: "webp",
      response_format: "url",
    });
    const urls = data.map(({ url }) => url ?? "");
    expect(new Set(urls).size).toBe(2);
    for (const url of urls) {
      expect(url).toMatch(new RegExp(`^${server.url}/images/[A-Za-z0-9_-]{32}\\.webp$`));
      const response = await fetch(url);
      expect((await sharp(await response.arrayBuffer()).metadata()).format).toBe("webp");
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "image/webp",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
      });
    }
    server.clock.ms = 60 * 60 * 1000 + 1000;
    expect((await fetch(urls[0] ?? "")).status).toBe(404);
  });

  it("of no image is answered like the URL of a deleted image, whatever its form", async () => {
    const server = await startImageServer();
    await server.client.images.generate({ model: imageModelId, prompt: "red" });
    const [file = ""] = await imageFilesOf(server);
    const names = [
      "nothing",
      "%2e%2e%2fhearth.db",
      "..%2f..%2fhearth.db",
      `${file}%00`,
      file.replace(".png", ".jpeg"),
    ];
    for (const name of names) {
      const response = await fetch(`${server.url}/images/${name}`);
      expect([name, response.status, response.headers.get("content-type")]).toEqual([
        ...[name, 404],
        expect.stringContaining("application/json"),
      ]);
    }
    expect((await fetch(`${server.url}/images/${file}`)).status).toBe(200);
  });

  it("works as soon as the answer is sent, and its file is deleted at the next clean-up after it expires", async () => {
    const server = await startImageServer();
    await server.client.images.generate({ model: imageModelId, prompt: "red" });
    const kept = await imageFilesOf(server);
    expect(kept).toHaveLength(1);
    await server.app.close();
    const again = await startServer({ environment: { HEARTH_DATA: server.data } });
    const url = `${again.url}/images/${kept[0] ?? ""}`;
    expect((await fetch(url)).status).toBe(200);
    await again.app.close();
    const later: Clock = { ...systemClock, now: () => systemClock.now() + 2 * 60 * 60 * 1000 };
    await startServer({ environment: { HEARTH_DATA: server.data }, clock: later });
    let files = kept;
    const look = setInterval(() => void imageFilesOf(server).then((found) => (files = found)), 5);
    onTestFinished(() => clearInterval(look));
    await until(() => files.length === 0);
    expect(files).toEqual([]);
  });

  it("is rejected when there is no space to store the image, before anything is generated or charged", async () => {
    const imageEngine = createScriptedImageEngine();
    const server = await startImageServer({ imageEngine, environment: { HEARTH_IMAGES_BYTES_MAX: "82000" } });
    const refused = await requestImages(server, { n: 2 });
    expect(refused.status).toBe(400);
    expect(await messageOf(refused)).toContain("response_format: must be b64_json");
    expect(imageEngine.jobs).toEqual([]);
    // Two that come together have room for one.
    const both = await Promise.all([requestImages(server, { n: 1 }), requestImages(server, { n: 1 })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 503]);
    const full = await requestImages(server, { n: 1 });
    expect([full.status, Number(full.headers.get("retry-after"))]).toEqual([503, 60]);
    expect((await requestImages(server, { n: 2, response_format: "b64_json" })).status).toBe(200);
    expect((await server.app.runs.list(9)).map(({ costTicks }) => costTicks)).toEqual([2 * price, price]);
  });
});

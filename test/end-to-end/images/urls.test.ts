import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../../src/core/clock.js";
import { systemClock } from "../../../src/system.js";
import { startApp, until } from "../../harness.js";
import { createScriptedPainter } from "../../scripted-painter.js";
import { askDrawing, drawingServer, filesOf, messageOf, painterModel, price } from "./image-server.js";

describe("the URL of an image", () => {
  it("leads to it for an hour, needs no key, and runs nothing", async () => {
    const server = await drawingServer();
    const { data = [] } = await server.client.images.generate({
      ...{ model: painterModel, prompt: "red", n: 2 },
      output_format: "webp",
    });
    const urls = data.map(({ url }) => url ?? "");
    expect(new Set(urls).size).toBe(2);
    for (const url of urls) {
      expect(url).toMatch(new RegExp(`^${server.url}/images/[A-Za-z0-9_-]{32}\\.webp$`));
      const response = await fetch(url);
      expect((await sharp(await response.arrayBuffer()).metadata()).format).toBe("webp");
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        ...{ "content-type": "image/webp", "x-content-type-options": "nosniff" },
        "content-security-policy": "default-src 'none'; sandbox",
      });
    }
    server.clock.ms = 60 * 60 * 1000 + 1000;
    expect((await fetch(urls[0] ?? "")).status).toBe(404);
  });

  it("of nothing is answered like one of an image that is gone, whatever it looks like", async () => {
    const server = await drawingServer();
    await server.client.images.generate({ model: painterModel, prompt: "red" });
    const [file = ""] = await filesOf(server);
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

  it("is there as soon as its answer is, and its file leaves the disk when the server next cleans up", async () => {
    const server = await drawingServer();
    await server.client.images.generate({ model: painterModel, prompt: "red" });
    const kept = await filesOf(server);
    expect(kept).toHaveLength(1);
    await server.app.close();
    const again = await startApp({ HEARTH_DATA: server.data }, {});
    const url = `${again.url}/images/${kept[0] ?? ""}`;
    expect((await fetch(url)).status).toBe(200);
    await again.app.close();
    const later: Clock = { ...systemClock, now: () => systemClock.now() + 2 * 60 * 60 * 1000 };
    await startApp({ HEARTH_DATA: server.data }, { clock: later });
    let files = kept;
    const look = setInterval(() => void filesOf(server).then((found) => (files = found)), 5);
    onTestFinished(() => clearInterval(look));
    await until(() => files.length === 0);
    expect(files).toEqual([]);
  });

  it("is refused where there is no room to keep the image, before anything is drawn or charged", async () => {
    const painter = createScriptedPainter();
    const server = await drawingServer({ painter, environment: { HEARTH_IMAGES_BYTES_MAX: "82000" } });
    const refused = await askDrawing(server, { n: 2 });
    expect(refused.status).toBe(400);
    expect(await messageOf(refused)).toContain("response_format: must be b64_json");
    expect(painter.jobs).toEqual([]);
    // Two that come together have room for one.
    const both = await Promise.all([askDrawing(server, { n: 1 }), askDrawing(server, { n: 1 })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 503]);
    const full = await askDrawing(server, { n: 1 });
    expect([full.status, Number(full.headers.get("retry-after"))]).toEqual([503, 60]);
    expect((await askDrawing(server, { n: 2, response_format: "b64_json" })).status).toBe(200);
    expect((await server.app.runs.list(9)).map(({ costTicks }) => costTicks)).toEqual([2 * price, price]);
  });
});

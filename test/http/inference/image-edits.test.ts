import OpenAI, { toFile } from "openai";
import { describe, expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";

const say = () => ["Hi."];

const shared = fileServer({ engine: say });

describe.each(["/v1/images/edits", "/v1/images/variations"])("POST %s", (path) => {
  it.each([
    [null, 401, "missing_api_key"],
    [keys.eve, 403, "endpoint:image"],
    [keys.bob, 403, "endpoint:image"],
    [keys.ada, 400, "POST /v1/images/generations makes them from a text"],
    [keys.mallory, 400, '"param":"image"'],
  ])("with the key %s answers %d to JSON, to a form and to nothing", async (key, status, text) => {
    const { url } = shared();
    const form = new FormData();
    form.set("image", new Blob(["png"]), "a.png");
    const json = JSON.stringify({ prompt: "red", image: { url: "data:," } });
    for (const body of [json, form, null]) {
      const all = key === null ? {} : headersOf(key);
      const headers = Object.fromEntries(Object.entries(all).filter(([name]) => name !== "content-type"));
      const response = await fetch(url + path, { method: "POST", headers, body });
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
    }
  });

  it("names what to use to the official client, however long the image is, and serves it further", async () => {
    const { url } = shared();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: keys.ada, maxRetries: 0 });
    for (const bytes of [10, 5_000_000]) {
      const image = await toFile(new Uint8Array(bytes), "a.png", { type: "image/png" });
      const asked = path.endsWith("edits")
        ? client.images.edit({ image, prompt: "red", model: "gpt-image-1" })
        : client.images.createVariation({ image });
      await expect(asked).rejects.toMatchObject({
        status: 400,
        code: "unsupported_parameter",
        param: "image",
        message: expect.stringContaining("POST /v1/images/generations") as string,
      });
    }
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
  });

  it("answers other methods 405", async () => {
    const { url } = shared();
    const response = await fetch(url + path, { headers: headersOf(keys.ada) });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

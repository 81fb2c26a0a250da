import { expect, it } from "vitest";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { startServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";

const request = { model: "hearth-painter-3m", prompt: "a fox" };

async function served() {
  const imageEngine = createScriptedImageEngine();
  const server = await startServer({ accounts: "managed", imageEngine });
  const send = (body: object, key: string = server.apiKey): Promise<Response> =>
    fetch(`${server.url}/api/generate`, {
      method: "POST",
      headers: headersOf(key),
      body: JSON.stringify({ ...request, ...body }),
    });
  return { server, imageEngine, send };
}

it("POST /api/generate answers a prompt to an image model with the image, whole or in one line", async () => {
  const { send, imageEngine } = await served();
  const options = { seed: 7 };
  for (const [stream, type] of [
    [false, "application/json"],
    [undefined, "application/x-ndjson"],
  ] as const) {
    const response = await send({ stream, options, width: 512 });
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([200, type]);
    const [line = "", ...others] = (await response.text()).trimEnd().split("\n");
    expect(others).toEqual([]);
    const answer = JSON.parse(line) as { readonly image: string };
    expect(answer).toMatchObject({ model: request.model, response: "", done: true, done_reason: "stop" });
    expect(JSON.parse(Buffer.from(answer.image, "base64").toString())).toMatchObject({ prompt: "a fox" });
    expect(Number(response.headers.get("x-hearth-cost-ticks"))).toBeGreaterThanOrEqual(0);
  }
  expect(imageEngine.jobs.map(({ prompt, seed }) => [prompt, seed])).toEqual([
    ["a fox", 7],
    ["a fox", 7],
  ]);
});

it("POST /api/generate refuses images that are to be changed, and keys that may not generate images", async () => {
  const { server, send, imageEngine } = await served();
  const changed = await send({ images: ["aGk="] });
  expect([changed.status, await changed.json()]).toEqual([
    400,
    { error: expect.stringMatching(/^images: /) as string },
  ]);
  const acls = ["api-key:endpoint:sample", "api-key:model:*"];
  const { apiKey } = await server.createKey(await server.createTeam(), { acls });
  const refused = await send({}, apiKey);
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining("api-key:endpoint:image") as string,
  ]);
  expect(imageEngine.jobs).toEqual([]);
});

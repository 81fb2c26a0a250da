import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";
import { testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { sha256Of } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";

const weights = readFileSync(join(root, "models/hearth-tiny-5m/hearth-tiny-5m.gguf"));
const managementKey = "test-management-key-of-the-operator";
const mebibyte = 1024 * 1024;

/** Empty folders, and a hub that has one model. */
async function begin() {
  const hub = await startHub({ "small-Q8_0.gguf": weights });
  const folder = temporaryFolder();
  const models = join(folder, "models");
  mkdirSync(models);
  const environment = {
    HEARTH_DATA: join(folder, "data"),
    HEARTH_MODELS: models,
    HEARTH_API_KEY: testKey,
    HEARTH_MANAGEMENT_KEY: managementKey,
    HF_ENDPOINT: hub.url,
    HOME: folder,
  };
  return { hub, models, environment };
}

/** Requests the management API; with a body by POST. */
function admin(url: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/admin/models${path}`, {
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    signal,
  });
}

describe("from an empty folder of models", () => {
  it("hearth pull and hearth run give an answer, and an alias makes it answer to the name of a hosted model", async () => {
    const { environment } = await begin();
    const hearth = async (...words: readonly string[]): Promise<string> => {
      const run = runProgram(words, { ...environment, HEARTH_PORT: "0" });
      run.child.stdin?.end();
      expect([await run.exited, run.stderr()]).toEqual([0, ""]);
      return run.stdout();
    };
    expect(await hearth("pull", "acme/small")).toContain("pulled small-q8_0");
    expect(await hearth("run", "acme/small", "What is 3 plus 4?")).toContain("7");
    await hearth("alias", "gpt-4o-mini", "small-q8_0");
    expect(await hearth("run", "gpt-4o-mini", "What is 3 plus 4?")).toContain("7");
  });

  it("hearth run answers right after a pull while a server runs, which finds the model meanwhile", async () => {
    const { environment } = await begin();
    const server = await startProcess(environment);
    const port = new URL(server.url).port;
    const pull = runProgram(["pull", "acme/small"], environment);
    expect([await pull.exited, pull.stderr()]).toEqual([0, ""]);
    const run = runProgram(["run", "acme/small", "What is 3 plus 4?"], { ...environment, HEARTH_PORT: port });
    run.child.stdin?.end();
    expect([await run.exited, run.stderr()]).toEqual([0, ""]);
    expect(run.stdout()).toContain("7");
  });

  it("C7: a pull of the server goes on after kill -9 of the server and of the client, under the same id", async () => {
    const { hub, models, environment } = await begin();
    hub.behaviour.bytesPerSecond = mebibyte;
    const first = await startProcess(environment);
    const client = new AbortController();
    const request = { model: "acme/small", stream: true };
    const following = await admin(first.url, "/pull", request, client.signal);
    expect(following.status).toBe(200);
    await until(() => hub.sent.bytes > mebibyte / 2);
    client.abort();
    first.child.kill("SIGKILL");
    await first.exited;
    hub.behaviour.bytesPerSecond = 0;
    const second = await startProcess(environment);
    const list = (await (await admin(second.url, "/pulls")).json()) as { data: readonly { id: string }[] };
    expect(list.data).toHaveLength(1);
    const events = await (await admin(second.url, `/pulls/${list.data[0]?.id ?? ""}?stream=true`)).text();
    expect(events).toMatch(/"state":"done".*\n\n$/);
    const file = join(models, "acme/small/small-Q8_0.gguf");
    expect(sha256Of(readFileSync(file))).toBe(sha256Of(weights));
    const answer = await clientOf(second.url).chat.completions.create({
      model: "acme/small:Q8_0",
      messages: [{ role: "user", content: "What is 3 plus 4?" }],
    });
    expect(answer.choices[0]?.message.content).toContain("7");
  });
});

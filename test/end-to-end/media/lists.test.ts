/** What the lists say of models that read images themselves, of those to which images are described, and of those that read text alone. */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { writeModel } from "../../kit/models/gguf-writer.js";
import { projectorBytes, writeSeeingModel } from "../../kit/models/seeing-models.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer, type TestServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { pinnedManagementKey, testKey } from "../../kit/server/settings.js";
import { describeMedia, withoutMedia } from "./media-server.js";

const [sees, blind, wrong] = ["gemma3", "blind", "internvl"] as const;

/** Starts a server with a model that sees, one that does not, and one with a projector of another model. */
async function start(environment: NodeJS.ProcessEnv): Promise<TestServer> {
  const models = temporaryFolder();
  await writeSeeingModel(models, sees);
  const { projector } = await writeSeeingModel(models, wrong);
  writeFileSync(projector, projectorBytes(wrong, { text: 128 }));
  await writeModel(`${models}/${blind}.gguf`, { name: blind });
  const management = { HEARTH_MANAGEMENT_KEY: pinnedManagementKey };
  return startServer({
    environment: { HEARTH_MODELS: models, ...management, ...environment },
    hasOwnEngine: true,
  });
}

/** Sends a request with the key that its path takes. */
async function send(
  { url }: TestServer,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const key = /^\/(?:admin|auth)/.test(path) ? pinnedManagementKey : testKey;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: headersOf(key),
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

interface LanguageModel {
  readonly input_modalities: readonly string[];
}

/** Returns what each list says that a model reads, as names of modalities. */
async function listReads(server: TestServer, model: string) {
  const ask = async (path: string, body?: object): Promise<unknown> =>
    (await send(server, body === undefined ? "GET" : "POST", path, body)).body;
  const { team_id: teamId } = (await ask("/v1/api-key")) as { team_id: string };
  const one = (await ask(`/v1/language-models/${model}`)) as LanguageModel;
  const { models } = (await ask("/v1/language-models")) as { models: (LanguageModel & { id: string })[] };
  const { capabilities } = (await ask("/api/show", { model })) as { capabilities: readonly string[] };
  const { clusterConfigs } = (await ask(`/auth/teams/${teamId}/models`)) as {
    clusterConfigs: { languageModels: { name: string; inputModalities: readonly string[] }[] }[];
  };
  const ofTeam = clusterConfigs[0]?.languageModels.find(({ name }) => name === model)?.inputModalities ?? [];
  return {
    one: one.input_modalities,
    listed: models.find(({ id }) => id === model)?.input_modalities,
    shown: ["text", ...(capabilities.includes("vision") ? ["image"] : [])],
    ofTeam: ofTeam.map((each) => each.toLowerCase()),
  };
}

const everywhere = (...modalities: string[]) => ({
  one: modalities,
  listed: modalities,
  shown: modalities,
  ofTeam: modalities,
});

describeMedia(`every list${withoutMedia}`, () => {
  it.each([
    ["with a captioner", {}, ["text", "image"]],
    ["without one", { HEARTH_VISION_MODEL: "none-here" }, ["text"]],
  ])(
    "%s: says what each model reads, and of no projector that it is a model",
    async (_, environment, others) => {
      const server = await start(environment);
      const chat = (model: string) =>
        send(server, "POST", "/v1/chat/completions", {
          model,
          messages: [{ role: "user", content: "hello" }],
          max_tokens: 1,
        });
      // The projector is tried with the first request.
      expect((await chat(wrong)).status).toBe(200);
      expect(await listReads(server, sees)).toEqual(everywhere("text", "image"));
      for (const model of [blind, wrong])
        expect([model, await listReads(server, model)]).toEqual([model, everywhere(...others)]);
      for (const path of ["/v1/models", "/v1/language-models", "/api/tags", "/admin/models"]) {
        const { body } = await send(server, "GET", path);
        expect([path, JSON.stringify(body).includes(sees)]).toEqual([path, true]);
        expect(JSON.stringify(body)).not.toMatch(/"(?:id|name|model)":"mmproj/);
      }
      const admin = async (model: string) => (await send(server, "GET", `/admin/models/${model}`)).body;
      expect(await admin(sees)).toMatchObject({
        projector: { file: "mmproj-gemma3.gguf", images: true, audio: false },
        projectorProblem: null,
      });
      expect(await admin(blind)).toMatchObject({ projector: null, projectorProblem: null });
      expect(await admin(wrong)).toMatchObject({
        projector: null,
        projectorProblem: expect.stringContaining("mmproj-internvl.gguf") as unknown,
      });
    },
  );

  it("follows the setting projector over the network, which names no file elsewhere", async () => {
    const server = await start({ HEARTH_VISION_MODEL: "none-here" });
    const set = (change: object) => send(server, "PUT", `/admin/models/${sees}`, change);
    expect(await set({ projector: "none" })).toMatchObject({ status: 200, body: { projector: null } });
    expect(await listReads(server, sees)).toEqual(everywhere("text"));
    expect((await set({ projector: "mmproj-gemma3.gguf" })).body).toMatchObject({
      projector: { file: "mmproj-gemma3.gguf" },
    });
    expect(await listReads(server, sees)).toEqual(everywhere("text", "image"));
    for (const path of ["/etc/mmproj.gguf", "../mmproj.gguf"])
      expect(await set({ projector: path })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining("projector: must be a path within") as unknown },
      });
    const none = await set({ projector: `${blind}.gguf` });
    expect(none.body).toMatchObject({ unusable: expect.stringContaining("no projector") as unknown });
    expect((await set({ projector: null })).body).toMatchObject({ unusable: null, settings: {} });
  });
});

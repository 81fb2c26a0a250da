/** Servers over folders of small random models with settings in a configuration file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, fileServer } from "../../kit/server.js";
import { requestJson } from "../text/answers.js";

/**
 * Returns a server for all tests of a file.
 * @param settings of models by id
 * @param write puts models into the folder
 */
export function configuredApp(
  settings: Readonly<Record<string, object>>,
  write: (folder: string) => Promise<void>,
  environment: NodeJS.ProcessEnv = {},
): () => TestServer {
  return fileServer(async (finished) => {
    const folder = temporaryFolder(finished);
    await write(folder);
    return {
      environment: { HEARTH_MODELS: folder, HEARTH_CONFIG: writeSettings(folder, settings), ...environment },
    };
  });
}

/** Writes a configuration file with settings of models. @returns its path. */
export function writeSettings(folder: string, settings: Readonly<Record<string, object>>): string {
  const path = join(folder, "hearth.yaml");
  writeFileSync(path, stringify({ models: settings }));
  return path;
}

/** Returns the text of a model's likeliest answer, which depends on nothing but the model and the prompt. */
export async function answerOf(
  app: Pick<TestServer, "client">,
  model: string,
  body: object = {},
): Promise<string> {
  const { choices } = await requestJson(app, { model, max_tokens: 12, deterministic: true, ...body });
  return choices[0]?.content ?? "";
}

/** Servers over folders of small random models with settings in a configuration file. */
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, fileServer } from "../../kit/server.js";
import { writeModelSettings } from "../../kit/server/settings.js";
import { requestJson } from "../../kit/clients/chat-answers.js";

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
      environment: {
        HEARTH_MODELS: folder,
        HEARTH_CONFIG: writeModelSettings(folder, settings),
        ...environment,
      },
    };
  });
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

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../agent.js";

/** opencode, over chat completions. */
export const opencode: Agent = {
  name: "opencode-ai",
  version: "1.18.33",
  setUp: "postinstall.mjs",
  mainTool: "bash",
  resumable: true,
  prepare({ work, url, key, model }) {
    const name = `hearth/${model}`;
    const settings = {
      provider: {
        hearth: {
          npm: "@ai-sdk/openai-compatible",
          name: "Hearth",
          options: { baseURL: `${url}/v1`, apiKey: key },
          models: { [model]: { name: model, limit: { context: 131_072, output: 8_192 } } },
        },
      },
      model: name,
      small_model: name,
      autoupdate: false,
      share: "disabled",
    };
    writeFileSync(join(work, "opencode.json"), JSON.stringify(settings));
  },
  launch({ package: installed }, prompt, resumes) {
    const args = ["run", "--auto", ...(resumes ? ["--continue"] : []), prompt];
    return { program: join(installed, "bin", "opencode.exe"), args };
  },
  edit: (file, from, to) => [
    { tool: "read", arguments: { filePath: file } },
    { tool: "edit", arguments: { filePath: file, oldString: from, newString: to } },
  ],
  shell: (command) => ({ tool: "bash", arguments: { command, description: "Runs the test" } }),
};

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../agent.js";
import { findBinary } from "../binary.js";

/** The command line of Continue, over chat completions. */
export const continueCli: Agent = {
  name: "@continuedev/cli",
  version: "1.5.47",
  mainTool: "Bash",
  resumable: true,
  prepare({ home, url, key, model }) {
    const settings = `name: Hearth
version: 0.0.1
schema: v1
models:
  - name: My model
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: ${key}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
`;
    writeFileSync(join(home, "config.yaml"), settings);
  },
  launch({ package: installed, home }, prompt, resumes) {
    const settings = ["--config", join(home, "config.yaml")];
    const args = [...settings, "--auto", ...(resumes ? ["--resume"] : []), "-p", prompt];
    return { program: findBinary(installed, "cn"), args, env: { CONTINUE_CLI_ENABLE_TELEMETRY: "0" } };
  },
  edit: (file, from, to) => [
    { tool: "Read", arguments: { filepath: file } },
    { tool: "Edit", arguments: { file_path: file, old_string: from, new_string: to } },
  ],
  shell: (command) => ({ tool: "Bash", arguments: { command } }),
};

import type { Agent } from "../agent.js";
import { findBinary } from "../binary.js";

/** Grok CLI, over chat completions. It cannot continue a session. */
export const grokCli: Agent = {
  name: "@vibe-kit/grok-cli",
  version: "0.0.34",
  mainTool: "bash",
  resumable: false,
  prepare: () => undefined,
  launch({ package: installed, url, key, model }, prompt) {
    const env = { GROK_API_KEY: key, GROK_BASE_URL: `${url}/v1`, GROK_MODEL: model };
    return { program: findBinary(installed, "grok"), args: ["-p", prompt], env };
  },
  edit: (file, from, to) => [
    { tool: "str_replace_editor", arguments: { path: file, old_str: from, new_str: to } },
  ],
  shell: (command) => ({ tool: "bash", arguments: { command } }),
};

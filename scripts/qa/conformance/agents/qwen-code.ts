import type { Agent } from "../agent.js";
import { findBinary } from "../binary.js";

/** Qwen Code, over chat completions. */
export const qwenCode: Agent = {
  name: "@qwen-code/qwen-code",
  version: "0.15.10",
  mainTool: "run_shell_command",
  resumable: true,
  prepare: () => undefined,
  launch({ package: installed, url, key, model }, prompt, resumes) {
    const args = ["--auth-type", "openai", "--yolo", ...(resumes ? ["--continue"] : []), "-p", prompt];
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model };
    return { program: findBinary(installed, "qwen"), args, env };
  },
  edit: (file, from, to) => [
    { tool: "read_file", arguments: { file_path: file } },
    { tool: "edit", arguments: { file_path: file, old_string: from, new_string: to } },
  ],
  shell: (command) => ({ tool: "run_shell_command", arguments: { command, is_background: false } }),
};

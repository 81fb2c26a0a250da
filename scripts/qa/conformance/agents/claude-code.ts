import { join } from "node:path";
import type { Agent, Call, AgentPlace } from "../agent.js";

/** Claude Code, over the Messages API. */
export const claudeCode: Agent = {
  name: "@anthropic-ai/claude-code",
  version: "2.1.197",
  setUp: "install.cjs",
  mainTool: "Bash",
  resumable: true,
  prepare: () => undefined,
  launch(place, prompt, resumes) {
    const args = ["-p", prompt, "--allowedTools", "Bash,Edit,Read", ...(resumes ? ["--continue"] : [])];
    return { program: join(place.package, "bin", "claude.exe"), args, env: claudeEnvironment(place) };
  },
  edit: claudeEdit,
  shell: claudeShell,
};

export function claudeEnvironment({ url, key, model }: AgentPlace): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
  };
}

/** A file must have been read before it is edited. */
export function claudeEdit(file: string, from: string, to: string): readonly Call[] {
  return [
    { tool: "Read", arguments: { file_path: file } },
    { tool: "Edit", arguments: { file_path: file, old_string: from, new_string: to } },
  ];
}

export function claudeShell(command: string): Call {
  return { tool: "Bash", arguments: { command, description: "Runs the test" } };
}

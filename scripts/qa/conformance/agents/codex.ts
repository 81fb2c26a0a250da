import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Agent } from "../agent.js";
import { findBinary } from "../binary.js";

/** Codex, over the Responses API. */
export const codex: Agent = {
  name: "@openai/codex",
  version: "0.169.0",
  mainTool: "exec_command",
  resumable: true,
  prepare({ home, url, model }) {
    mkdirSync(join(home, ".codex"));
    const settings = `model = "${model}"
model_provider = "hearth"
model_context_window = 131072

[model_providers.hearth]
name = "Hearth"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`;
    writeFileSync(join(home, ".codex", "config.toml"), settings);
  },
  launch({ package: installed, key }, prompt, resumes) {
    // The sandbox needs rights that containers rarely have; the calls are those below.
    const common = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    const args = resumes ? ["exec", "resume", "--last", ...common, prompt] : ["exec", ...common, prompt];
    return { program: findBinary(installed, "codex"), args, env: { OPENAI_API_KEY: key } };
  },
  edit: (file, from, to) => [
    { tool: "exec_command", arguments: { cmd: `sed -i 's/${from}/${to}/' ${basename(file)}` } },
  ],
  shell: (command) => ({ tool: "exec_command", arguments: { cmd: command } }),
};

/** Codex with a model that it knows: it has a custom tool for edits and a search for tools then. */
export const codexWithPatches: Agent = {
  ...codex,
  edit(file, from, to) {
    const line = (code: string): string => `export const add = (a, b) => ${code};`;
    const input = [
      "*** Begin Patch",
      `*** Update File: ${basename(file)}`,
      "@@",
      `-${line(from)}`,
      `+${line(to)}`,
      "*** End Patch",
    ].join("\n");
    return [{ tool: "apply_patch", arguments: { input } }];
  },
};

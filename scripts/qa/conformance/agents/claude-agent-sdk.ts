import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Agent } from "../agent.js";
import { claudeEdit, claudeEnvironment, claudeShell } from "./claude-code.js";

/** A program of a few lines over the SDK, which has an agent of its own. */
export const claudeAgentSdk: Agent = {
  name: "@anthropic-ai/claude-agent-sdk",
  version: "0.3.330",
  mainTool: "Bash",
  resumable: true,
  prepare({ package: installed, home, model }) {
    const program = `import { query } from ${JSON.stringify(pathToFileURL(join(installed, "sdk.mjs")).href)};
const [prompt, resumes] = process.argv.slice(2);
const options = {
  model: ${JSON.stringify(model)},
  settingSources: [],
  allowedTools: ["Bash", "Edit", "Read"],
  continue: resumes === "yes",
};
for await (const message of query({ prompt, options }))
  if (message.type === "result") console.log(message.result ?? message.subtype);
`;
    writeFileSync(join(home, "program.mjs"), program);
  },
  launch(place, prompt, resumes) {
    const args = [join(place.home, "program.mjs"), prompt, resumes ? "yes" : "no"];
    return { program: process.execPath, args, env: claudeEnvironment(place) };
  },
  edit: claudeEdit,
  shell: claudeShell,
};

/** Runs the code blocks of a document as a reader would, against a server of the test. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../kit/folder.js";
import type { CodeBlock } from "./documents.js";

const blockTimeoutMs = 120_000;

export interface ExampleServer {
  readonly url: string;
  readonly apiKey: string;
  readonly managementKey: string;
}

/**
 * Whether a block is one that is run. Others, such as a block that starts the server, show what to do elsewhere.
 */
export function isRun({ language, code }: CodeBlock): boolean {
  return language === "js" || (language === "sh" && /\bcurl\b/.test(code));
}

/**
 * Runs blocks in their order in one new folder, so that a block finds the files which an earlier one has written. The folder
 * is inside the checkout, where packages are found.
 * @returns what went wrong; one text for each block that failed.
 */
export async function runBlocks(blocks: readonly CodeBlock[], server: ExampleServer): Promise<string[]> {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "hearth-docs-"));
  try {
    const problems: string[] = [];
    for (const block of blocks) {
      const problem = await problemOf(block, folder, server);
      if (problem !== null) problems.push(`${block.code}\n${problem}`);
    }
    return problems;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function problemOf(block: CodeBlock, folder: string, server: ExampleServer): Promise<string | null> {
  const code = block.code
    .replaceAll("http://127.0.0.1:4280", server.url)
    .replaceAll("hk-your-key", server.apiKey)
    .replaceAll("hm-your-key", server.managementKey);
  const refused = join(folder, "refused.txt");
  rmSync(refused, { force: true });
  const { status, output } = await run(block.language === "js" ? script(code, folder) : shell(code), folder);
  if (existsSync(refused)) return `${readFileSync(refused, "utf8")}${output}`;
  return status === 0 ? null : `ended with ${status}: ${output}`;
}

type Command = readonly [program: string, ...args: string[]];

function script(code: string, folder: string): Command {
  const file = join(folder, "example.mjs");
  writeFileSync(file, code);
  return [process.execPath, file];
}

/** In a pipe the shell forgets that curl has failed; the file remembers. */
const failingCurl = `curl() {
  command curl --fail-with-body --silent --show-error "$@" || {
    echo "curl ended with $?: $*" >> "$PWD/refused.txt"
    return 1
  }
}
set -e
`;

function shell(code: string): Command {
  if (spawnSync("curl", ["--version"]).status !== 0)
    throw new Error("curl is not installed: the examples of the documents need it");
  return ["sh", "-c", failingCurl + code];
}

async function run([program, ...args]: Command, folder: string) {
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: blockTimeoutMs,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { status: code ?? signal, output };
}

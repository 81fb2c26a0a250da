import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { selectRemovals, type Target } from "../../scripts/slim-removals.mjs";
import { startMcpServer, startOlderMcpServer } from "../kit/doubles/mcp-server.js";
import { root, temporaryFolder } from "../kit/folder.js";
import { runProgram } from "../kit/program.js";
import { answerEveryKind } from "../kit/server/every-kind.js";
import { clientOf } from "../kit/server/requests.js";
import { builtInModel, testKey } from "../kit/server/settings.js";

/** Tens of thousands of files are linked and removed. */
const copyTimeoutMs = 300_000;

const linux: Target = { platform: "linux", arch: "x64", keepsGpu: false };

const lockedPackages = {
  "": {},
  "node_modules/koa": {},
  "node_modules/koa/node_modules/debug": {},
  "node_modules/koa/node_modules/tap": { dev: true },
  "node_modules/typescript": { dev: true },
  "node_modules/@types/koa": { dev: true },
  "node_modules/onnxruntime-web": { name: "@favware/skip-dependency" },
  "node_modules/onnxruntime-node": {},
  "node_modules/better-sqlite3": {},
  "node_modules/node-llama-cpp": {},
  "node_modules/@node-llama-cpp/linux-x64": {},
  "node_modules/@modelcontextprotocol/sdk": {},
  "node_modules/hono": {},
};

const files = [
  "node_modules/.bin/tsc",
  "node_modules/@types/koa/index.d.ts",
  "node_modules/@modelcontextprotocol/sdk/dist/cjs/client/index.js",
  "node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js",
  "node_modules/better-sqlite3/LICENSE",
  "node_modules/better-sqlite3/build/Release/better_sqlite3.node",
  "node_modules/better-sqlite3/build/Release/obj/sqlite3.o",
  "node_modules/better-sqlite3/deps/sqlite3.c",
  "node_modules/forgotten/index.js",
  "node_modules/hono/dist/index.js",
  "node_modules/koa/index.js",
  "node_modules/koa/index.js.map",
  "node_modules/koa/node_modules/debug/index.d.ts",
  "node_modules/koa/node_modules/debug/index.js",
  "node_modules/koa/node_modules/tap/index.js",
  "node_modules/node-llama-cpp/index.js",
  "node_modules/node-llama-cpp/llama/gitRelease.bundle",
  "node_modules/onnxruntime-node/bin/napi-v6/darwin/arm64/onnxruntime.dylib",
  "node_modules/onnxruntime-node/bin/napi-v6/linux/arm64/onnxruntime.so",
  "node_modules/onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime.so",
  "node_modules/onnxruntime-web/index.js",
  "node_modules/typescript/index.js",
  ...["linux-arm64", "linux-x64", "linux-x64-cuda", "linux-x64-cuda-ext", "linux-x64-vulkan"].map(
    (name) => `node_modules/@node-llama-cpp/${name}/llama.node`,
  ),
];

/** Writes a small install; @returns its folder. */
function install(): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "content");
  }
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: lockedPackages }));
  return folder;
}

/** Returns the files that stay. */
function kept(changes: Partial<Target> = {}): string[] {
  const removed = selectRemovals(install(), { ...linux, ...changes }).map(({ path }) => path);
  return files.filter((file) => !removed.some((path) => file === path || file.startsWith(`${path}/`)));
}

describe("npm run slim", () => {
  it("keeps what the lock file names for production, for this platform and the CPU", () => {
    expect(kept()).toEqual([
      "node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js",
      "node_modules/better-sqlite3/LICENSE",
      "node_modules/better-sqlite3/build/Release/better_sqlite3.node",
      "node_modules/koa/index.js",
      "node_modules/koa/node_modules/debug/index.js",
      "node_modules/node-llama-cpp/index.js",
      "node_modules/onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime.so",
      "node_modules/@node-llama-cpp/linux-x64/llama.node",
    ]);
  });

  it("keeps the GPU's binaries of this platform on request, also those that were installed without the lock file", () => {
    expect(kept({ keepsGpu: true }).filter((file) => file.includes("@node-llama-cpp/"))).toEqual(
      ["linux-x64", "linux-x64-cuda", "linux-x64-cuda-ext", "linux-x64-vulkan"].map(
        (name) => `node_modules/@node-llama-cpp/${name}/llama.node`,
      ),
    );
  });

  it("keeps the binaries of another processor there", () => {
    const binaries = kept({ arch: "arm64" }).filter((file) => /\.(so|node)$/.test(file));
    expect(binaries).toEqual([
      "node_modules/better-sqlite3/build/Release/better_sqlite3.node",
      "node_modules/onnxruntime-node/bin/napi-v6/linux/arm64/onnxruntime.so",
      "node_modules/@node-llama-cpp/linux-arm64/llama.node",
    ]);
  });

  it("says how much it removes and why", () => {
    expect(selectRemovals(install(), linux)).toContainEqual({
      path: "node_modules/node-llama-cpp/llama/gitRelease.bundle",
      reason: "sources of llama.cpp",
      bytes: "content".length,
    });
  });

  it("refuses another folder than the checkout's root, another option, and a checkout without packages", () => {
    const slim = (cwd: string, script: string, ...args: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: "utf8" });
      return `${status}: ${stderr}`;
    };
    const script = join(root, "scripts/slim.mjs");
    expect(slim(temporaryFolder(), script)).toMatch(/^2: run it in /);
    expect(slim(root, script, "--all")).toBe("2: unknown option: --all (options: --keep-gpu)\n");
    const empty = temporaryFolder();
    for (const name of ["slim.mjs", "slim-removals.mjs"])
      cpSync(join(root, "scripts", name), join(empty, "scripts", name));
    expect(slim(empty, join(empty, "scripts/slim.mjs"))).toMatch(/^2: node_modules is not a folder here/);
  });
});

describe("a slim install", () => {
  it(
    "takes 260 MB at most, and chats, describes, embeds, draws, asks MCP servers and is healthy",
    async () => {
      const copy = copyOfInstall();
      const slim = spawnSync(process.execPath, ["scripts/slim.mjs"], { cwd: copy, encoding: "utf8" });
      expect(`${slim.status}${slim.stderr}`).toBe("0");
      const megabytes = Number(/-> (\d+) MB\n$/.exec(slim.stdout)?.[1]);
      expect(megabytes).toBeLessThanOrEqual(260);

      const mcp = [await startMcpServer(), await startOlderMcpServer()];
      const environment = {
        HEARTH_PORT: "0",
        HEARTH_DATA: join(copy, "data"),
        HEARTH_API_KEY: testKey,
        HEARTH_MCP_HOSTS: mcp.map(({ host }) => host).join(","),
      };
      const program = join(copy, "dist/main.js");
      const doctor = runProgram(["doctor"], environment, copy, program);
      expect(await doctor.exited).toBe(0);
      const server = runProgram(["start"], environment, copy, program);
      const client = clientOf(await server.line(/^listening on (http:\/\/\S+)$/));
      expect(await answerEveryKind(client)).toEqual({ text: true, embedding: 2, image: true });
      for (const { url: server_url, methods } of mcp) {
        const tools = [{ type: "mcp" as const, server_label: "math", server_url }];
        await client.responses.inputTokens.count({ model: builtInModel, input: "Hello", tools });
        expect(methods).toContain("tools/list");
      }
      server.child.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    },
    copyTimeoutMs,
  );
});

/** Copies what an install consists of; files of node_modules are hard links where that is possible. @returns its folder */
function copyOfInstall(): string {
  const copy = temporaryFolder();
  for (const part of [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "src",
    "dist",
    "models",
    "scripts",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true, preserveTimestamps: true });
  link(join(root, "node_modules"), join(copy, "node_modules"));
  expect(existsSync(join(copy, "node_modules/koa"))).toBe(true);
  return copy;
}

function link(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) link(source, target);
    else if (entry.isFile())
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
  }
}

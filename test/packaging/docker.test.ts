import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadConfig } from "../../src/config/config.js";
import { root } from "../kit/folder.js";
import { startProcess } from "../kit/program.js";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const dockerfile = read("Dockerfile").replaceAll("\\\n", " ");
const lines = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

const composeFile = z.object({
  services: z.object({
    hearth: z.object({
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
      read_only: z.literal(true),
      tmpfs: z.array(z.string()),
      cap_drop: z.tuple([z.literal("ALL")]),
      security_opt: z.tuple([z.literal("no-new-privileges:true")]),
      stop_grace_period: z.string().regex(/^\d+s$/),
    }),
  }),
});
const { hearth } = composeFile.parse(parse(read("compose.yaml"))).services;

/** Returns the arguments of an instruction in JSON form. */
function listOf(instruction: string): string[] {
  const list = new RegExp(`^${instruction}.*?(\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "null";
  return z.array(z.string()).parse(JSON.parse(list));
}

describe("the image", () => {
  it("is built from files that exist, and from the built-in models that git has", () => {
    const included = lines(read(".dockerignore")).filter((line) => line.startsWith("!"));
    const paths = included.map((line) => line.slice(1));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const inGit = lines(read(".gitignore")).filter((line) => line.startsWith("!/models/"));
    const models = inGit.map((line) => line.slice("!/".length).replace(/\/$/, ""));
    expect(models.length).toBeGreaterThan(0);
    expect(paths.filter((path) => path.startsWith("models/")).toSorted()).toEqual(models.toSorted());
    for (const [, file = ""] of dockerfile.matchAll(/^COPY (package.*) \.\/$/gm))
      expect(file.split(" ").filter((name) => !paths.includes(name))).toEqual([]);
  });

  it("has settings that the server accepts, and listens where the port is published", () => {
    const environment = Object.fromEntries(
      [...dockerfile.matchAll(/\b(HEARTH_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    expect(Object.keys(environment).length).toBeGreaterThan(0);
    expect([environment["HEARTH_DATA"], environment["HEARTH_MODELS"]]).toEqual(listOf("VOLUME"));
    const { config } = loadConfig({ ...environment, HEARTH_MODELS: join(root, "models") }, null);
    expect(config.host).toBe("0.0.0.0");
    expect(hearth.ports).toEqual([`127.0.0.1:${config.port}:${config.port}`]);
    expect(dockerfile).toContain(`EXPOSE ${config.port}\n`);
    expect(Number.parseInt(hearth.stop_grace_period) * 1000).toBeGreaterThan(config.shutdownGraceMs + 12_000);
  });

  it("runs as an ordinary user, and its volumes are those of the composition", () => {
    expect(/^USER (.*)$/m.exec(dockerfile)?.[1]).toBe("node");
    expect(listOf("VOLUME")).toEqual(hearth.volumes.map((volume) => volume.split(":")[1]));
  });

  it("is healthy while the server is ready, and not after it has ended", async () => {
    const server = await startProcess();
    const [program, flag, code = ""] = listOf("HEALTHCHECK");
    expect([program, flag]).toEqual(["node", "-e"]);
    const check = (): number | null =>
      spawnSync(process.execPath, ["-e", code.replace("http://127.0.0.1:4280", server.url)]).status;
    expect(check()).toBe(0);
    server.child.kill("SIGTERM");
    await server.exited;
    expect(check()).toBe(1);
  });
});

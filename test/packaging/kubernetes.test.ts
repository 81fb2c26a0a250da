/** What of the manifests, and of the composition with a llama-server, can be verified without a cluster and without Docker. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { loadConfig } from "../../src/config/config.js";
import { llamaServerProgram } from "../kit/doubles/llama-server/program.mjs";
import { root, temporaryFolder } from "../kit/folder.js";
import { startProcess } from "../kit/program.js";
import { itWithLlamaServer, withoutLlamaServer } from "../kit/doubles/llama-server/start.js";

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const dockerfile = read("Dockerfile");

const port = z.strictObject({ name: z.string(), containerPort: z.number() });
const get = z.strictObject({ path: z.string(), port: z.string() });
const probe = z.looseObject({ httpGet: get });
const mount = z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() });
const container = z.looseObject({
  image: z.literal("hearth"),
  args: z.array(z.string()),
  ports: z.tuple([port]),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  envFrom: z.tuple([
    z.strictObject({ secretRef: z.strictObject({ name: z.string(), optional: z.literal(true) }) }),
  ]),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(mount),
});
const labels = z.record(z.string(), z.string());
const pod = z.looseObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.number().min(1) }),
  containers: z.tuple([container]),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const manifests = z.tuple([
  z.looseObject({ kind: z.literal("ConfigMap"), data: z.strictObject({ "hearth.yaml": z.string() }) }),
  z.looseObject({
    kind: z.literal("Service"),
    metadata: z.looseObject({ name: z.string() }),
    spec: z.looseObject({ selector: labels, ports: z.tuple([z.looseObject({ targetPort: z.string() })]) }),
  }),
  z.looseObject({
    kind: z.literal("StatefulSet"),
    spec: z.looseObject({
      replicas: z.literal(1),
      selector: z.strictObject({ matchLabels: labels }),
      template: z.looseObject({
        metadata: z.looseObject({ labels, annotations: z.record(z.string(), z.string()) }),
        spec: pod,
      }),
      volumeClaimTemplates: z.array(z.looseObject({ metadata: z.strictObject({ name: z.string() }) })),
    }),
  }),
]);
const documents = parseAllDocuments(read("packaging/kubernetes.yaml"));
const [configMap, service, set] = manifests.parse(documents.map((each) => each.toJS() as unknown));
const { template, volumeClaimTemplates, selector } = set.spec;
const [hearth] = template.spec.containers;
const environment = Object.fromEntries(hearth.env.map(({ name, value }) => [name, value]));

/** Returns the settings as the server in the container reads them. */
function configOf() {
  const file = join(temporaryFolder(), "hearth.yaml");
  writeFileSync(file, configMap.data["hearth.yaml"]);
  return loadConfig({ ...environment, HEARTH_CONFIG: file, HEARTH_MODELS: join(root, "models") }).config;
}

describe("the manifests for Kubernetes", () => {
  it("are YAML without errors, and their settings and variables are those of the server", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    const config = configOf();
    expect([config.host, config.port, config.trustProxy]).toEqual([
      "0.0.0.0",
      hearth.ports[0].containerPort,
      true,
    ]);
    const image = [...dockerfile.matchAll(/\b(HEARTH_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    const { HEARTH_DATA: ofImage, ...others } = Object.fromEntries(image) as Record<string, string>;
    expect(environment).toMatchObject(others);
    // A folder in the volume, which the server makes its own.
    expect(dirname(environment["HEARTH_DATA"] ?? "")).toBe(ofImage);
  });

  it("accept the engines of their comment, and reject a setting that there is not", () => {
    const lines = configMap.data["hearth.yaml"].split("\n");
    const file = join(temporaryFolder(), "hearth.yaml");
    const uncommented = lines.map((line) => line.replace(/^# (?=engines:| )/, "")).join("\n");
    writeFileSync(file, uncommented);
    expect(loadConfig({ HEARTH_CONFIG: file }).config.engines).toMatchObject([{ kind: "llama-server" }]);
    expect(() => loadConfig({ ...environment, HEARTH_CONFIG: file, HEARTH_PROT: "1" })).toThrow(
      /HEARTH_PROT/,
    );
  });

  it("run the image's user and command, with the data and models on volumes, and end after the server has", () => {
    // The images of Node.js have the user node with this number.
    expect([template.spec.securityContext.runAsUser, /^USER (.*)$/m.exec(dockerfile)?.[1]]).toEqual([
      1000,
      "node",
    ]);
    expect(dockerfile).toContain(`CMD ${JSON.stringify(hearth.args)}`);
    const volumes = [...template.spec.volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)];
    expect(hearth.volumeMounts.map(({ name }) => name).toSorted()).toEqual(
      volumes.map(({ name }) => name).toSorted(),
    );
    const mounted = hearth.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounted).toEqual(
      expect.arrayContaining([
        dirname(environment["HEARTH_DATA"] ?? ""),
        environment["HEARTH_MODELS"],
        "/tmp",
      ]),
    );
    expect(environment["HEARTH_CONFIG"]).toBe(
      `${mounted.find((path) => path.startsWith("/etc"))}/hearth.yaml`,
    );
    expect(template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      configOf().shutdownGraceMs + 12_000,
    );
  });

  it("keep away the variables that a cluster would make of the service, which the server refuses", () => {
    expect(template.spec.enableServiceLinks).toBe(false);
    const link = { [`${service.metadata.name.toUpperCase()}_SERVICE_HOST`]: "10.96.0.7" };
    expect(() => loadConfig(link)).toThrow(/variable HEARTH_SERVICE_HOST/);
  });

  it("send requests to the server's port only", () => {
    const { labels: own, annotations } = template.metadata;
    expect([service.spec.selector, selector.matchLabels]).toEqual([own, own]);
    const [{ name, containerPort }] = hearth.ports;
    expect(service.spec.ports[0].targetPort).toBe(name);
    for (const { httpGet } of [hearth.startupProbe, hearth.livenessProbe, hearth.readinessProbe])
      expect(httpGet.port).toBe(name);
    expect(annotations["prometheus.io/port"]).toBe(String(containerPort));
  });

  it("ask what a server answers without a key", async () => {
    const { url } = await startProcess();
    const { startupProbe, livenessProbe, readinessProbe } = hearth;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
      expect((await fetch(`${url}${httpGet.path}`)).status).toBe(200);
  });
});

const overlay = z.strictObject({
  services: z.strictObject({
    hearth: z.strictObject({
      depends_on: z.strictObject({
        "llama-server": z.strictObject({ condition: z.literal("service_healthy") }),
      }),
      environment: z.record(z.string(), z.string()),
      volumes: z.tuple([z.string()]),
    }),
    "llama-server": z.looseObject({
      command: z.array(z.string()),
      volumes: z.tuple([z.string()]),
      healthcheck: z.looseObject({ test: z.array(z.string()) }),
    }),
  }),
});

describe("the composition with a llama-server", () => {
  const { services } = overlay.parse(parse(read("packaging/compose.llama-server.yaml")));
  const { hearth: server, "llama-server": engine } = services;
  const withModel = (text: string): string => text.replace(/\$\{MODEL(:[^}]*)?\}/g, "tiny");

  it("has settings that the server accepts: the address and the model of the llama-server", () => {
    const variables = Object.entries(server.environment).map(([name, value]) => [name, withModel(value)]);
    const { engines } = loadConfig(Object.fromEntries(variables) as NodeJS.ProcessEnv).config;
    const ports = engine.command[engine.command.indexOf("--port") + 1];
    const url = [`http://llama-server:${ports}`];
    expect(engines).toMatchObject([{ kind: "llama-server", url, models: [{ id: "tiny" }] }]);
    expect(engine.command.map(withModel)).toContain("/models/tiny.gguf");
    expect(engine.healthcheck.test.at(-1)).toBe(`http://127.0.0.1:${ports}/health`);
    expect(server.volumes[0].split(":")).toEqual(["./models", "/var/lib/hearth/models"]);
    expect(engine.volumes[0].split(":")).toEqual(["./models", "/models", "ro"]);
  });

  itWithLlamaServer(`uses options that a llama-server has${withoutLlamaServer}`, () => {
    const { stdout } = spawnSync(llamaServerProgram() ?? "", ["--help"], { encoding: "utf8" });
    const options = engine.command.filter((word) => word.startsWith("--"));
    expect(options.filter((option) => !new RegExp(`${option}\\b`).test(stdout))).toEqual([]);
  });
});

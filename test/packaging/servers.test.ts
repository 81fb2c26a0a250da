/** What of the composition and the manifests with several servers can be verified without Docker and without a cluster. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { loadConfig } from "../../src/config/config.js";
import { root } from "../kit/folder.js";

const read = (file: string): string => readFileSync(join(root, "packaging", file), "utf8");

/** The variables of the image. */
const ofImage = Object.fromEntries(
  [...readFileSync(join(root, "Dockerfile"), "utf8").matchAll(/\b(HEARTH_\w+)=(\S+)/g)].map(
    ([, name, value]) => [name, value],
  ),
) as Record<string, string>;

const server = z.looseObject({
  environment: z.record(z.string(), z.string()),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })),
  volumes: z.array(z.string()),
  read_only: z.literal(true),
  tmpfs: z.tuple([z.literal("/tmp")]),
  cap_drop: z.tuple([z.literal("ALL")]),
  stop_grace_period: z.string().regex(/^\d+s$/),
});
const backing = z.looseObject({ healthcheck: z.looseObject({ test: z.array(z.string()) }) });
const composition = z.looseObject({
  services: z.strictObject({
    "hearth-1": server,
    "hearth-2": server,
    postgres: backing.extend({ environment: z.record(z.string(), z.string()) }),
    valkey: backing,
    proxy: z.looseObject({ ports: z.array(z.string()), depends_on: z.array(z.string()) }),
  }),
  configs: z.strictObject({ proxy: z.strictObject({ content: z.string() }) }),
  volumes: z.record(z.string(), z.null()),
});

describe("the composition with two servers", () => {
  const { services, configs, volumes } = composition.parse(
    parse(read("compose.servers.yaml"), { merge: true }),
  );
  const servers = [services["hearth-1"], services["hearth-2"]];
  const withSecrets = (text: string): string =>
    text.replace(/\$\{(\w+)(:[^}]*)?\}/g, (_, name: string) => `secret0of0${name.replaceAll("_", "0")}`);
  const configOf = ({ environment }: (typeof servers)[number]) =>
    loadConfig(
      Object.fromEntries(
        Object.entries({ ...ofImage, ...environment, HEARTH_MODELS: join(root, "models") }).map(
          ([name, value]) => [name, withSecrets(value)],
        ),
      ),
    ).config;

  it("has settings that the servers accept: one database and one folder, and names of their own", () => {
    const [first, second] = servers.map(configOf);
    expect(first?.databaseUrl).toBe("postgres://hearth:secret0of0POSTGRES0PASSWORD@postgres:5432/hearth");
    expect(second).toEqual({ ...first, serverName: "hearth-2" });
    expect(services.postgres.environment).toMatchObject({ POSTGRES_USER: "hearth", POSTGRES_DB: "hearth" });
    for (const { depends_on } of servers) expect(Object.keys(depends_on)).toEqual(["postgres", "valkey"]);
  });

  it("gives each server a data folder of its own, and both the same models and the shared folder", () => {
    const mounted = servers.map(
      (each) => new Map(each.volumes.map((volume) => volume.split(":").toReversed() as [string, string])),
    );
    const [first, second] = mounted;
    expect([...(first?.keys() ?? [])]).toEqual([...(second?.keys() ?? [])]);
    for (const path of [configOf(services["hearth-1"]).sharedFolder ?? "", "/var/lib/hearth/models"])
      expect(first?.get(path)).toBe(second?.get(path));
    expect(first?.get("/var/lib/hearth/data")).not.toBe(second?.get("/var/lib/hearth/data"));
    const used = mounted.flatMap((each) => [...each.values()]);
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(used));
  });

  it("sends requests to the servers that are ready, and streams at once", () => {
    const { content } = configs.proxy;
    expect(/reverse_proxy (.*) \{/.exec(content)?.[1]?.split(" ")).toEqual([
      "hearth-1:4280",
      "hearth-2:4280",
    ]);
    expect(services.proxy.depends_on).toEqual(["hearth-1", "hearth-2"]);
    expect(content).toMatch(/health_uri \/readyz\n/);
    expect(content).toMatch(/flush_interval -1\n/);
    expect(services.proxy.ports).toEqual(["127.0.0.1:4280:4280"]);
  });
});

const deployment = z.looseObject({
  kind: z.literal("Deployment"),
  spec: z.looseObject({
    replicas: z.number().min(2),
    strategy: z.strictObject({
      rollingUpdate: z.strictObject({ maxSurge: z.literal(1), maxUnavailable: z.literal(0) }),
    }),
    template: z.looseObject({
      metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.looseObject({
            env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
            volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(
          z.looseObject({
            name: z.string(),
            persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional(),
            emptyDir: z.looseObject({}).optional(),
          }),
        ),
      }),
    }),
  }),
});
const claim = z.looseObject({
  kind: z.literal("PersistentVolumeClaim"),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ accessModes: z.tuple([z.literal("ReadWriteMany")]) }),
});

describe("the manifests with several servers", () => {
  const documents = parseAllDocuments(read("kubernetes.servers.yaml"));
  const [configMap, service, servers, budget, ...claims] = documents.map((each) => each.toJS() as unknown);
  const { spec } = deployment.parse(servers);
  const [hearth] = spec.template.spec.containers;
  const volumeAt = (path: string) => {
    const name = hearth.volumeMounts.find(({ mountPath }) => path.startsWith(mountPath))?.name;
    return spec.template.spec.volumes.find((volume) => volume.name === name);
  };
  const environment = Object.fromEntries(
    hearth.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
  );

  it("are those of one server, but for what several share", () => {
    const one = parseAllDocuments(read("kubernetes.yaml")).map((each) => each.toJS() as unknown);
    expect([configMap, service]).toEqual(
      JSON.parse(JSON.stringify(one.slice(0, 2)).replaceAll("statefulset", "deployment")),
    );
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(hearth.env.find(({ name }) => name === "HEARTH_SERVER_NAME")).toEqual({
      name: "HEARTH_SERVER_NAME",
      valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
    });
    const { config } = loadConfig({
      ...environment,
      HEARTH_CONFIG: "",
      HEARTH_DATABASE_URL: "postgres://hearth:secret@db/hearth",
      HEARTH_MODELS: join(root, "models"),
    });
    expect(config.sharedFolder).toBe(environment["HEARTH_SHARED_FOLDER"]);
    expect(spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      config.shutdownGraceMs + 12_000,
    );
  });

  it("have models and the shared folder on volumes that all see, and the data of each on its own", () => {
    const claimed = claims.map((each) => claim.parse(each).metadata.name);
    const shared = [environment["HEARTH_MODELS"], environment["HEARTH_SHARED_FOLDER"]].map(
      (path) => volumeAt(path ?? "")?.persistentVolumeClaim?.claimName,
    );
    expect(shared).toEqual(claimed);
    expect(volumeAt(environment["HEARTH_DATA"] ?? "")?.emptyDir).toBeDefined();
    expect(budget).toMatchObject({
      kind: "PodDisruptionBudget",
      spec: { maxUnavailable: 1, selector: { matchLabels: spec.template.metadata.labels } },
    });
  });
});

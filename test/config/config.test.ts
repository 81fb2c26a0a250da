import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, isLoopback, loadConfig, nameVariable } from "../../src/config/config.js";
import { temporaryFolder } from "../kit/folder.js";

/** A configuration file with this text. */
function file(text: string): string {
  const path = join(temporaryFolder(), "hearth.yaml");
  writeFileSync(path, text);
  return path;
}

describe("the configuration", () => {
  it("has a default for every setting, and names it as the source", () => {
    const { config, sources } = loadConfig({});
    expect(config.host).toBe("127.0.0.1");
    expect(config.port).toBe(4280);
    expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("prefers a file to the defaults and the environment to the file", () => {
    const path = file("port: 5000\nslotsPerModel: 2\n");
    const { config, sources } = loadConfig({ HEARTH_CONFIG: path, HEARTH_PORT: "6000" });
    expect([config.port, config.slotsPerModel]).toEqual([6000, 2]);
    expect([sources.port, sources.slotsPerModel, sources.host]).toEqual(["HEARTH_PORT", path, "default"]);
  });

  it("prefers the file of the command line to the one that HEARTH_CONFIG names", () => {
    const [mine, other] = [file("port: 5000"), file("port: 5001")];
    expect(loadConfig({ HEARTH_CONFIG: other }, mine).config.port).toBe(5000);
  });

  it("reads flags, lists and numbers from text as from YAML", () => {
    const text = {
      HEARTH_TRUST_PROXY: "true",
      HEARTH_ALLOWED_HOSTS: "a.test, b.test",
      HEARTH_QUEUE_DEPTH_MAX: "0",
    };
    const yaml = file('trustProxy: true\nallowedHosts: ["a.test", "b.test"]\nqueueDepthMax: 0\n');
    const pick = ({ config }: ReturnType<typeof loadConfig>) => [
      config.trustProxy,
      config.allowedHosts,
      config.queueDepthMax,
    ];
    expect(pick(loadConfig(text))).toEqual([true, ["a.test", "b.test"], 0]);
    expect(pick(loadConfig({}, yaml))).toEqual(pick(loadConfig(text)));
  });

  it("reads secrets from files, without the newline at their end", () => {
    const keys = {
      HEARTH_API_KEY_FILE: file("0123456789abcdef\n"),
      HEARTH_MANAGEMENT_KEY_FILE: file("fedcba9876543210\r\n"),
    };
    const { config, sources } = loadConfig(keys, file("apiKey: in-the-configuration"));
    expect([config.apiKey, config.managementKey]).toEqual(["0123456789abcdef", "fedcba9876543210"]);
    expect([sources.apiKey, sources.managementKey]).toEqual(Object.keys(keys));
  });

  it("reads the addresses of databases, which have passwords, from files", () => {
    const [databaseUrl, redisUrl] = [
      "postgres://hearth:secret@db.test/hearth",
      "rediss://:secret@redis.test",
    ];
    const environment = {
      HEARTH_DATABASE_URL_FILE: file(`${databaseUrl}\n`),
      HEARTH_REDIS_URL_FILE: file(`${redisUrl}\n`),
    };
    expect(loadConfig(environment).config).toMatchObject({ databaseUrl, redisUrl });
  });

  it("treats an empty variable as not set", () => {
    expect(loadConfig({ HEARTH_PORT: "", HEARTH_API_KEY: "" }).config).toMatchObject({
      port: 4280,
      apiKey: null,
    });
  });

  it("names each variable after its setting", () => {
    expect(nameVariable("queueDepthMax")).toBe("HEARTH_QUEUE_DEPTH_MAX");
    expect(nameVariable("port")).toBe("HEARTH_PORT");
  });

  const refused: readonly [string, () => unknown, RegExp][] = [
    ["a setting that does not exist", () => loadConfig({}, file("prot: 1")), /unknown setting 'prot'/],
    ["a file that is a list", () => loadConfig({}, file("- 1")), /must hold settings by name/],
    ["a file that is no YAML", () => loadConfig({}, file("a: [")), /cannot read the configuration file/],
    [
      "a value out of range",
      () => loadConfig({ HEARTH_PORT: "70000" }),
      /port \(set by HEARTH_PORT\): must be a whole number from 0 to 65,535$/,
    ],
    [
      "a text in place of a number",
      () => loadConfig({ HEARTH_CONTEXT_TOKENS_MAX: "abc" }),
      /contextTokensMax \(set by HEARTH_CONTEXT_TOKENS_MAX\): must be a whole number from 64 to 1,048,576$/,
    ],
    [
      "a word that is none of the choices",
      () => loadConfig({ HEARTH_GPU: "metals" }),
      /gpu \(set by HEARTH_GPU\): must be auto or off or cuda or vulkan or metal$/,
    ],
    [
      "a flag that is neither true nor false",
      () => loadConfig({ HEARTH_TRUST_PROXY: "maybe" }),
      /trustProxy \(set by HEARTH_TRUST_PROXY\)/,
    ],
    [
      "a management key as the API key",
      () => loadConfig({ HEARTH_API_KEY: "hm-0123456789abcdef" }),
      /must not begin with hm-/,
    ],
    [
      "an API key as the management key",
      () => loadConfig({ HEARTH_MANAGEMENT_KEY: "hk-0123456789abcdef" }),
      /must not begin with hk-/,
    ],
    [
      "a secret that is set by value and by file",
      () => loadConfig({ HEARTH_API_KEY_FILE: file("0123456789abcdef"), HEARTH_API_KEY: "0123456789abcdef" }),
      /apiKey is set twice, by HEARTH_API_KEY_FILE and by HEARTH_API_KEY;/,
    ],
    [
      "a secret in a file that cannot be read",
      () => loadConfig({ HEARTH_MANAGEMENT_KEY_FILE: join(temporaryFolder(), "none") }),
      /cannot read the file that HEARTH_MANAGEMENT_KEY_FILE names: ENOENT/,
    ],
    [
      "a secret in a file that holds nothing",
      () => loadConfig({ HEARTH_API_KEY_FILE: file("\n") }),
      /apiKey \(set by HEARTH_API_KEY_FILE\): must have 16 characters/,
    ],
    [
      "a file for a setting that is no secret",
      () => loadConfig({ HEARTH_PORT_FILE: "x" }),
      /HEARTH_PORT_FILE/,
    ],
    [
      "one key for both APIs",
      () => loadConfig({ HEARTH_API_KEY: "0123456789abcdef", HEARTH_MANAGEMENT_KEY: "0123456789abcdef" }),
      /managementKey \(set by HEARTH_MANAGEMENT_KEY\): equals the API key/,
    ],
    [
      "Redis without PostgreSQL, where nobody shares limits",
      () => loadConfig({ HEARTH_REDIS_URL: "redis://localhost" }),
      /redisUrl \(set by HEARTH_REDIS_URL\): needs databaseUrl/,
    ],
    [
      "an address of Redis that is none",
      () => loadConfig({ HEARTH_REDIS_URL: "localhost:6379" }),
      /redisUrl \(set by HEARTH_REDIS_URL\): must be an address such as redis:/,
    ],
    [
      "a quantised KV cache without flash attention",
      () => loadConfig({ HEARTH_KV_CACHE_TYPE: "q8_0", HEARTH_FLASH_ATTENTION: "off" }),
      /kvCacheType \(set by HEARTH_KV_CACHE_TYPE\): q8_0 needs flash attention/,
    ],
    [
      "a folder of models that does not exist",
      () => loadConfig({ HEARTH_MODELS: "/nowhere/models" }),
      /^models \(set by HEARTH_MODELS\): \/nowhere\/models does not exist$/,
    ],
    [
      "a folder of models in the file that does not exist",
      () => loadConfig({}, file("models: /nowhere/models")),
      /^models \(set by .*hearth\.yaml\): \/nowhere\/models does not exist$/,
    ],
    [
      "a folder of models that is a file",
      () => loadConfig({ HEARTH_MODELS: file("") }),
      /^models \(set by HEARTH_MODELS\): .*hearth\.yaml is not a folder$/,
    ],
    [
      "a public address without a proxy",
      () => loadConfig({ HEARTH_HOST: "192.0.2.1" }),
      /can be reached from other machines/,
    ],
  ];
  it.each(refused)("rejects %s, naming it", (_, load, message) => {
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(message);
  });

  it("distinguishes loopback addresses from addresses that other machines can reach", () => {
    expect(["localhost", "127.0.0.1", "127.8.9.1", "::1"].map(isLoopback)).toEqual([true, true, true, true]);
    expect(["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.test"].map(isLoopback)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

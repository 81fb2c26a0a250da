import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/config.js";
import { platformFolders } from "../../src/config/default-folders.js";

const installed = { isCheckout: false, home: "/home/ada" };

describe("data and models of an installed package", () => {
  it.each([
    ["linux", {}, "/home/ada/.local/share/hearth"],
    ["linux", { XDG_DATA_HOME: "/srv/ada" }, "/srv/ada/hearth"],
    ["linux", { XDG_DATA_HOME: "" }, "/home/ada/.local/share/hearth"],
    ["linux", { XDG_DATA_HOME: "share" }, "/home/ada/.local/share/hearth"],
    ["freebsd", {}, "/home/ada/.local/share/hearth"],
    ["darwin", { XDG_DATA_HOME: "/srv/ada" }, "/home/ada/Library/Application Support/hearth"],
    ["win32", { LOCALAPPDATA: "/users/ada/local" }, "/users/ada/local/hearth"],
    ["win32", {}, "/home/ada/AppData/Local/hearth"],
  ] as const)("are in the platform's folder: %s with %j: %s", (platform, environment, own) => {
    expect(platformFolders(environment, { ...installed, platform })).toEqual({
      data: join(own, "data"),
      models: join(own, "models"),
    });
  });
});

describe("data and models of a checkout", () => {
  it("are in the working directory, whatever the platform's folder is", () => {
    const { config, sources } = loadConfig({ XDG_DATA_HOME: "/srv/ada" });
    expect(config).toMatchObject({
      data: join(process.cwd(), "data"),
      models: join(process.cwd(), "models"),
    });
    expect(sources).toMatchObject({ data: "default", models: "default" });
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/config.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { runProgram } from "../../../kit/program.js";

const issuer = "https://id.example.com/realms/example";
const rule = { group: "leads", team: "research", role: "admin" };

/** The variables of a provider. */
function variables(change: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    HEARTH_OIDC_ISSUER: issuer,
    HEARTH_OIDC_CLIENT_ID: "hearth",
    HEARTH_OIDC_GROUPS: JSON.stringify([rule]),
    ...change,
  };
}

describe("the settings of single sign-on", () => {
  it("are off, and need only the issuer, the client and the groups", () => {
    expect(loadConfig({}).config.oidcIssuer).toBeNull();
    expect(loadConfig(variables()).config).toMatchObject({
      publicUrl: null,
      oidcIssuer: issuer,
      oidcClientId: "hearth",
      oidcClientSecret: null,
      oidcScopes: ["openid", "profile", "email"],
      oidcGroupsClaim: "groups",
      oidcGroups: [rule],
    });
  });

  it("are the same in a file, and the secret can have a file of its own", () => {
    const folder = temporaryFolder();
    const [config, secret] = [join(folder, "hearth.yaml"), join(folder, "secret")];
    const lines = [`oidcIssuer: ${issuer}`, "oidcClientId: hearth", "oidcGroups:"];
    const group = "  - { group: leads, team: research, role: admin }";
    writeFileSync(config, [...lines, group, "publicUrl: https://hearth.example.com/"].join("\n"));
    writeFileSync(secret, "the secret of the client\n");
    const loaded = loadConfig({ HEARTH_OIDC_CLIENT_SECRET_FILE: secret }, config).config;
    expect(loaded).toMatchObject({
      publicUrl: "https://hearth.example.com",
      oidcClientSecret: "the secret of the client",
      oidcGroups: [rule],
    });
  });

  it.each([
    [
      { HEARTH_OIDC_ISSUER: "http://id.example.com" },
      /^.*oidcIssuer \(set by HEARTH_OIDC_ISSUER\): must be an https/,
    ],
    [{ HEARTH_OIDC_ISSUER: "id.example.com" }, /oidcIssuer \(set by/],
    [{ HEARTH_OIDC_ISSUER: `${issuer}?x=1` }, /oidcIssuer \(set by/],
    [{ HEARTH_OIDC_ISSUER: "" }, /oidcClientId \(set by HEARTH_OIDC_CLIENT_ID\): needs oidcIssuer/],
    [{ HEARTH_OIDC_CLIENT_ID: "" }, /oidcIssuer \(set by HEARTH_OIDC_ISSUER\): needs oidcClientId/],
    [{ HEARTH_OIDC_GROUPS: "" }, /oidcIssuer \(set by HEARTH_OIDC_ISSUER\): needs oidcGroups/],
    [{ HEARTH_OIDC_GROUPS: "leads" }, /oidcGroups \(set by HEARTH_OIDC_GROUPS\): /],
    [
      { HEARTH_OIDC_GROUPS: JSON.stringify([rule, { ...rule, role: "boss" }]) },
      /oidcGroups\.1\.role \(set by HEARTH_OIDC_GROUPS\): must be owner or admin or member$/,
    ],
    [{ HEARTH_OIDC_GROUPS: '[{"group":"leads","role":"admin"}]' }, /oidcGroups\.0\.team \(set by/],
    [
      { HEARTH_OIDC_GROUPS: JSON.stringify([{ ...rule, rule: 1 }]) },
      /oidcGroups\.0 \(set by.*no such setting: rule/,
    ],
    [{ HEARTH_OIDC_CLIENT_SECRET: "short" }, /oidcClientSecret \(set by.*8 characters/],
    [{ HEARTH_PUBLIC_URL: "https://hearth.example.com/path?x=1" }, /publicUrl \(set by.*must be an address/],
    [{ HEARTH_PUBLIC_URL: "hearth.example.com" }, /publicUrl \(set by/],
  ])("are refused by name: %j", (change, message) => {
    expect(() => loadConfig(variables(change))).toThrow(message);
  });

  it.each(["http://127.0.0.1:8080/realms/x", "http://localhost:9000", "http://[::1]:1"])(
    "allow %s, which does not leave this machine",
    (local) => {
      expect(loadConfig(variables({ HEARTH_OIDC_ISSUER: local })).config.oidcIssuer).toBe(local);
    },
  );

  it("are printed by doctor, but for the secret", async () => {
    const folder = temporaryFolder();
    const secret = {
      HEARTH_OIDC_CLIENT_SECRET: "the-secret-of-the-client",
      HEARTH_DATA: join(folder, "data"),
    };
    for (const options of [[], ["--json"]]) {
      const run = runProgram(["doctor", ...options], variables(secret));
      await run.exited;
      expect(run.stdout()).toContain("research");
      expect(run.stdout()).toContain(issuer);
      expect(run.stdout() + run.stderr()).not.toContain("the-secret");
    }
  });
});

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram, startProcess } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { type CreatedKey, allAcls } from "../../kit/server/management.js";
import { builtInModel, pinnedManagementKey, testKey } from "../../kit/server/settings.js";
import { isNightly } from "../../kit/sizes.js";
import { requestRoute, credentialOf, keyRoutes, createObject, createTestTeam, pathWith } from "./world.js";

/** A secret without its ends, which may be shown, and every encoding of its hash. */
function formsOf(secret: string): readonly string[] {
  const hash = createHash("sha256").update(secret).digest();
  const codings = (["hex", "base64", "base64url", "latin1"] as const).map((coding) => hash.toString(coding));
  return [
    secret,
    secret.slice(3, -4),
    Buffer.from(secret).toString("base64"),
    ...codings,
    [...hash].join(","),
  ];
}

function expectNone(text: string, secrets: readonly string[], forms = formsOf): void {
  for (const secret of secrets)
    for (const form of forms(secret))
      expect(text.includes(form), `${form} in ${text.slice(0, 200)}`).toBe(false);
}

/** Starts a server with the real logger that fails on request. */
async function logged() {
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const engine = createScriptedEngine((prompt) =>
    prompt.includes("fail") ? [new Error("broken")] : ["Good day."],
  );
  const server = await startServer({ accounts: "managed", logger, engine });
  return { server, lines };
}

describe("E10: a key", () => {
  it("appears in no log, no answer but the first, no audit event, no metric, and no file of the server", async () => {
    const { server, lines } = await logged();
    const side = await createTestTeam(server, "ours");
    const made = await server.createKey(side.teamId, { acls: allAcls });
    const rotated = (await server.request("POST", `/auth/api-keys/${made.apiKeyId}/rotate`, {}))
      .body as CreatedKey;
    const secrets = [testKey, pinnedManagementKey, side.apiKey, side.manager, made.apiKey, rotated.apiKey];
    // Typed incompletely, or with extra characters.
    const typed = secrets
      .slice(2)
      .flatMap((secret) => [secret.slice(0, 12), secret.slice(0, -1), `${secret}x`]);
    let received = "";
    const hear = async (answer: Promise<{ readonly body: unknown }>) =>
      (received += JSON.stringify((await answer).body, (name, value: unknown) =>
        name === "apiKey" ? "shown once" : value,
      ));
    const failing = { model: builtInModel, messages: [{ role: "user", content: "fail" }], user: made.apiKey };
    await hear(server.request("POST", "/v1/chat/completions", failing, side.apiKey));
    for (const [at, route] of keyRoutes.entries()) {
      // The example of PUT /auth/teams/{teamId} blocks the team.
      await server.database.kysely.updateTable("teams").set({ blocked: false }).execute();
      const path = await pathWith(route, (param) => createObject(server, side, param));
      const some = (all: readonly string[]) => (isNightly(process.env) ? all : [all[at % all.length] ?? ""]);
      for (const credential of [credentialOf(route, side), ...some(secrets), ...some(typed)])
        await hear(requestRoute(server, route, path, credential));
      if (route.method === "GET")
        await hear(server.request("GET", `${path}?api_key=${made.apiKey}&key=${made.apiKey}`));
    }
    for (const secret of [...secrets, ...typed]) {
      const misplaced: RequestInit[] = [
        { headers: { "x-request-id": secret } },
        { headers: { authorization: `Basic ${Buffer.from(`me:${secret}`).toString("base64")}` } },
        {
          headers: {
            authorization: `Token ${secret}`,
            cookie: `key=${secret}`,
            "user-agent": secret,
            referer: `http://x/?k=${secret}`,
          },
        },
      ];
      for (const init of misplaced) {
        const response = await fetch(`${server.url}/v1/models`, init);
        received += (await response.text()) + JSON.stringify([...response.headers]);
      }
      await fetch(`${server.url}/${secret}/v1/models`).then((response) => response.text());
      await server.request("GET", `/v1/models/${secret}`, undefined, testKey);
    }
    for (const path of ["/metrics", "/docs", "/openapi.json"])
      received += await (await fetch(server.url + path)).text();
    const query = {
      teamId: null,
      order: "ascending",
      after: null,
      from: null,
      to: null,
      limit: 10_000,
    } as const;
    const audit = JSON.stringify(await server.stores.audit.page(query));
    expect(lines.length).toBeGreaterThan(300);
    expect(lines.join("").includes("broken")).toBe(true);
    for (const text of [lines.join(""), received, audit]) expectNone(text, secrets);
    const begun = (secret: string) => [secret.slice(0, 12), secret.slice(3, 12)];
    expectNone(lines.join("") + audit, secrets.slice(2), begun);
    const files = readdirSync(server.data).filter((name) => /^hearth\.db/.test(name));
    expect(files).toContain("hearth.db");
    for (const file of files)
      expectNone(readFileSync(join(server.data, file), "latin1"), secrets, (secret) => [
        secret,
        secret.slice(3, -4),
      ]);
  });

  it("appears on no command line, in no log and in no output of doctor of a real process", async () => {
    const data = join(temporaryFolder(), "data");
    const keys = {
      HEARTH_API_KEY: "operators-own-key-1234567",
      HEARTH_MANAGEMENT_KEY: 'operators/own+"manager"-7654321',
    };
    const environment = { HEARTH_DATA: data, HEARTH_LOG_LEVEL: "debug", ...keys };
    const server = await startProcess(environment);
    const authorization = { authorization: `Bearer ${keys.HEARTH_API_KEY}` };
    expect((await fetch(`${server.url}/v1/models`, { headers: authorization })).status).toBe(200);
    // Keys in places where they do not belong, percent-encoded where a URL requires it.
    for (const key of Object.values(keys))
      for (const path of [key, encodeURIComponent(key)]) await fetch(`${server.url}/${path}`);
    const doctor = runProgram(["doctor"], environment);
    const json = runProgram(["doctor", "--json"], environment);
    await Promise.all([doctor.exited, json.exited]);
    expect(doctor.stdout()).toContain("HEARTH_API_KEY");
    const printed = [server, doctor, json].map((run) => run.stdout() + run.stderr()).join("");
    const commands = process.platform === "linux" ? commandLines(server.child.pid ?? 0) : [];
    if (process.platform === "linux") expect(commands.length).toBe(2);
    expect(printed.match(/\*\*\*/g)).toHaveLength(4);
    for (const secret of Object.values(keys)) {
      for (const form of [secret, encodeURI(secret), encodeURIComponent(secret)])
        expect(printed).not.toContain(form);
      expect(commands.join("\n")).not.toContain(secret);
    }
  });
});

/** Returns what `ps` shows of a process and its children. */
function commandLines(pid: number): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  return [String(pid), ...children].map((id) =>
    readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "),
  );
}

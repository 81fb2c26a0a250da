import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it } from "vitest";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { openForCommand } from "../../../src/app/stores/open-database.js";
import { createAuditLog } from "../../../src/accounts/audit-log.js";
import { openPuller } from "../../../src/app/models/pulls.js";
import { openModelOperator } from "../../../src/app/operator/open.js";
import { operatorOpener } from "../../../src/cli/command-helpers.js";
import { addPullCommand } from "../../../src/cli/models/pull.js";
import { loadConfig } from "../../../src/config/config.js";
import { judgeBytes } from "../../../src/doctor/model-fit.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { ggufOf } from "../../models/hub/pulling.js";
import { writeNewDatabase } from "../../kit/databases/new-database.js";
import { commandEnvironment } from "./environment.js";

it("commands that change models are in the audit log, with what was before, once there is a database", async () => {
  const { environment, hearth, gguf } = commandEnvironment();
  gguf("models/small.gguf");
  await hearth("set", "small", "slots=1");
  expect(existsSync(join(environment.HEARTH_DATA, "hearth.db"))).toBe(false);
  mkdirSync(environment.HEARTH_DATA, { recursive: true });
  await writeNewDatabase(join(environment.HEARTH_DATA, "hearth.db"));
  await hearth("set", "small", "slots=2", "system=Hello");
  await hearth("alias", "gpt-4o-mini", "small");
  await expect(hearth("set", "small", "slots=many")).rejects.toThrow();
  await hearth("rm", "small");
  const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1) });
  const { config } = loadConfig(environment);
  const program = new Command("hearth").exitOverride();
  addPullCommand(program, {
    openPuller: () => openPuller(config, { HF_ENDPOINT: hub.url }, true),
    using: operatorOpener(() => openModelOperator(config)),
    reportFit: (bytes) => judgeBytes(config, bytes),
    out: { write: () => true },
    err: { write: () => true },
    onInterrupt: () => () => undefined,
  });
  await program.parseAsync(["pull", "acme/tiny"], { from: "user" });
  const database = await openForCommand(config);
  const events = (await createAuditLog(buildAccountStores(database)).newest(10)).toReversed();
  await database.close();
  expect(
    events.map(({ actor, action, objectId, before, after }) => [actor, action, objectId, before, after]),
  ).toEqual([
    ["cli", "UpdateModelSettings", "small", { slots: "1", system: null }, { slots: "2", system: '"Hello"' }],
    ["cli", "UpdateModelSettings", "small", { aliases: null }, { aliases: '["gpt-4o-mini"]' }],
    ["cli", "DeleteModel", "small", { file: "small.gguf" }, null],
    expect.arrayContaining(["UpdateModelSettings", { slots: null, system: null, aliases: null }]) as unknown,
    ["cli", "PullModel", "tiny-q4_k_m", null, { what: "acme/tiny" }],
  ]);
});

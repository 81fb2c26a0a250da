import { describe, expect, it } from "vitest";
import type { MemberRole } from "../../../src/accounts/principals/member.js";
import { gpuReport } from "../../../src/engine/gpu/report.js";
import { reportOfProcess } from "../../../src/engine/gpu/own-process.js";
import { runProgram } from "../../kit/program.js";
import { startServer, fileServer } from "../../kit/server.js";
import { pinnedManagementKey } from "../../kit/server/settings.js";

const shared = fileServer({ accounts: "managed" });

interface Report {
  readonly settings: readonly { readonly name: string; readonly value: string; readonly source: string }[];
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

describe("GET /admin/doctor", () => {
  it("returns what `hearth doctor` prints of the settings, without secrets, and of the machine", async () => {
    const environment = { HEARTH_JOBS_ACTIVE_MAX: "3" };
    const server = await startServer({ accounts: "managed", environment });
    const answer = await server.request("GET", "/admin/doctor");
    expect(answer.status).toBe(200);
    const report = answer.body as Report;
    const command = runProgram(["doctor", "--json"], {
      HEARTH_DATA: server.data,
      HEARTH_MANAGEMENT_KEY: pinnedManagementKey,
      ...environment,
    });
    await command.exited;
    const printed = JSON.parse(command.stdout()) as Report;
    const own = ["port", "apiKey", "models", "host"];
    const others = ({ settings }: Report) => settings.filter(({ name }) => !own.includes(name));
    expect(others(report)).toEqual(others(printed));
    expect(report.settings).toContainEqual({
      name: "managementKey",
      value: "set",
      source: "HEARTH_MANAGEMENT_KEY",
      variable: "HEARTH_MANAGEMENT_KEY",
    });
    expect(JSON.stringify(report)).not.toContain(pinnedManagementKey);
    const names = ["version", "data folder", "backup", "processor", "threads", "gpu", "pinned keys"];
    const named = ({ checks }: Report) => checks.filter(({ name }) => names.includes(name));
    expect(named(report)).toHaveLength(names.length);
    expect(named(report)).toEqual(named(printed));
    expect(report.checks).toContainEqual({
      name: "pinned keys",
      ok: true,
      detail: expect.stringMatching(
        /^\S+ by HEARTH_API_KEY, \S+ by HEARTH_MANAGEMENT_KEY, with all rights; each ends with its setting$/,
      ) as string,
    });
    expect(report.checks).toContainEqual({
      name: "disk",
      ok: true,
      detail: expect.stringMatching(/ GB of .* are free for /) as string,
    });
    expect(report.checks.map(({ name }) => name)).toContain("model hearth-tiny-5m");
    expect(report.checks.map(({ name }) => name)).not.toContain("port");
  });

  it("names models without a price once a team is prepaid", async () => {
    const server = shared();
    const priceless = async () =>
      ((await server.request("GET", "/admin/doctor")).body as Report).checks.filter(({ detail }) =>
        detail.includes("no price"),
      ).length;
    const before = await priceless();
    expect(before).toBe(0);
    await server.createTeam();
    expect(await priceless()).toBe(0);
    const free = { prices: { prompt: "0", cached: "0", completion: "0" } };
    expect((await server.request("PUT", "/admin/models/hearth-tiny-5m", free)).status).toBe(200);
    expect(await priceless()).toBe(1);
  });

  it("E14: refuses everybody but the owners of the whole server", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const keys = [await server.createManagementKey({ teamId })];
    for (const role of ["owner", "admin", "member"] satisfies MemberRole[]) {
      const memberId = await server.createMember(teamId, { role, email: `${role}@example.com` });
      keys.push(await server.createManagementKey({ teamId, memberId }));
    }
    for (const key of keys)
      expect((await server.request("GET", "/admin/doctor", undefined, key)).status).toBe(403);
  });
});

it("a process of its own finds out the same of the GPU", async () => {
  const workerUrl = new URL("../../../dist/engine/gpu/worker.js", import.meta.url);
  for (const gpu of ["auto", "off"] as const)
    expect(await reportOfProcess({ gpu }, workerUrl)).toEqual(await gpuReport({ gpu }));
  const missing = new URL("../../../dist/engine/gpu/none.js", import.meta.url);
  expect(await reportOfProcess({ gpu: "auto" }, missing)).toMatchObject({ ok: true });
});

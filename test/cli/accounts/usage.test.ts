import { aKey } from "../../kit/a-key.js";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRegistry } from "../../../src/app/models/models.js";
import { openOperator } from "../../../src/app/operator/open.js";
import { OperatorClient } from "../../../src/cli/operator.js";
import type { WireTeam } from "../../../src/http/management/teams/present-team.js";
import { loadConfig } from "../../../src/config/config.js";
import type { RunRecord } from "../../../src/inference/run/run-record.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { aRun, aTeam, temporaryFolder } from "../../store/records.js";
import { createCommandEnvironment } from "./accounts.js";

const usage = {
  promptTokens: 100,
  cachedTokens: 40,
  imageTokens: 0,
  completionTokens: 20,
  reasoningTokens: 5,
};
const at = (day: number, hour = 0, minute = 0): number => Date.UTC(2026, 10, day, hour, minute);

/** Two teams with usage in October and November; the time is November 21, 12:00. */
async function createEnvironment() {
  const commands = await createCommandEnvironment();
  const { teams, keys, database } = commands;
  await teams.insert(aTeam({ id: "team-1", name: "=HYPERLINK(evil)" }));
  await teams.insert(aTeam({ id: "team-2", name: 'lab, "north"' }));
  await keys.insert(aKey({ id: "key-1", name: "laptop" }));
  const runs = createRunStore(database);
  let count = 0;
  const ran = (change: Partial<RunRecord>): Promise<void> => {
    const ended = { state: "completed", endTime: at(30), usage, costTicks: 1_000 } as const;
    return runs.insert(aRun({ ...ended, id: `run-${(count += 1)}`, ...change }), []);
  };
  await ran({ startTime: at(1) - 1 });
  await ran({ startTime: at(1) });
  await ran({ startTime: at(3, 23, 59), requestedModel: "hosted-mini" });
  await ran({ startTime: at(4), requestedModel: "hosted-mini", apiKeyId: "key-2" });
  await ran({ startTime: at(4, 7, 30), model: "other", teamId: "team-2", costTicks: 10_000_000_000_000 });
  await ran({ startTime: at(21, 12), state: "interrupted", costTicks: 0 });
  await runs.insert(aRun({ id: "run-in-hand", startTime: at(21, 11) }), []);
  return { ...commands, ran };
}

describe("hearth usage", () => {
  it("reports tokens and cost of each day of this month, and the total", async () => {
    const { hearth } = await createEnvironment();
    expect(await hearth("usage")).toBe(
      [
        "DAY          RUNS   PROMPT   CACHED   COMPLETION   REASONING   IMAGES       COST USD",
        "2026-11-01      1      100       40           20           5        0      0.0000001",
        "2026-11-03      1      100       40           20           5        0      0.0000001",
        "2026-11-04      2      200       80           40          10        0   1000.0000001",
        "total           4      400      160           80          20        0   1000.0000003",
        "",
      ].join("\n"),
    );
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ["--by", "hour"],
      ["2026-11-01T00:00Z", "2026-11-03T23:00Z", "2026-11-04T00:00Z", "2026-11-04T07:00Z"],
    ],
    [
      ["--from", "2026-10-31", "--to", "2026-11-01"],
      ["2026-10-31", "2026-11-01"],
    ],
    [
      ["--by", "hour", "--from", "2026-11-03T23", "--to", "2026-11-04T00"],
      ["2026-11-03T23:00Z", "2026-11-04T00:00Z"],
    ],
    [["--team", "team-2"], ["2026-11-04"]],
    [["--to", "2026-11-02", "--team", "team-2"], []],
  ])("%j reports %j", async (words, times) => {
    const { hearth } = await createEnvironment();
    const lines = (await hearth("usage", ...words)).trimEnd().split("\n").slice(1, -1);
    expect(lines.map((line) => line.split(" ")[0])).toEqual(times);
  });

  it.each<[string, readonly object[]]>([
    [
      "key",
      [
        { keyId: "key-1", keyName: "laptop", runs: 3 },
        { keyId: "key-2", keyName: null, runs: 1 },
      ],
    ],
    [
      "model",
      [
        { model: "other", runs: 1 },
        { model: "small", runs: 3 },
      ],
    ],
    [
      "team",
      [
        { teamId: "team-2", teamName: 'lab, "north"' },
        { teamId: "team-1", runs: 3 },
      ],
    ],
  ])("by %s reports the most expensive first, with its name if it has one", async (by, rows) => {
    const { json } = await createEnvironment();
    expect(await json("usage", "--by", by)).toMatchObject({
      by,
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-11-21T13:00:00.000Z",
      rows,
      total: { runs: 4, promptTokens: 400, cachedTokens: 160, costUsd: "1000.0000003" },
    });
  });

  it("by tag counts a run for each of its tags, and once in the total; a tag or an end user can be reported alone", async () => {
    const { hearth, json, ran } = await createEnvironment();
    const spend = { tags: ["=env", "night"], metadata: ["project:atlas"], endUser: "ada" };
    await ran({ startTime: at(20), labelled: { text: null, spend } });
    await ran({ startTime: at(20), labelled: { text: null, spend: { ...spend, tags: ["night"] } } });
    const table = (await hearth("usage", "--by", "tag", "--from", "2026-11-20")).trimEnd().split("\n");
    expect(table.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ["TAG", "RUNS"],
      ["night", "2"],
      ["project:atlas", "2"],
      ["=env", "1"],
      ["total", "2"],
      ["A run counts for each of its tags. The total counts every run once, also those without tags."],
    ]);
    const csv = await hearth("usage", "--by", "tag", "--from", "2026-11-20", "--csv");
    expect(csv.split("\r\n").map((line) => line.split(",").slice(0, 2))).toEqual([
      ...[["tag", "runs"], ["night", "2"], ["project:atlas", "2"], ["'=env", "1"], [""]],
    ]);
    expect(await json("usage", "--by", "user")).toMatchObject({
      rows: [{ user: "ada", runs: 2 }],
      total: { runs: 6 },
    });
    const ofTag = { rows: [{ keyId: "key-1", runs: 1 }], total: { runs: 1 } };
    expect(await json("usage", "--by", "key", "--tag", "=env")).toMatchObject(ofTag);
    await expect(hearth("usage", "--by", "user", "--tag", "night")).rejects.toThrow(
      "groupBy cannot combine tags with end users.",
    );
  });

  it("prints CSV according to RFC 4180 with exact decimals and without cells that a spreadsheet evaluates as formulas", async () => {
    const { hearth, ran } = await createEnvironment();
    expect(await hearth("usage", "--by", "team", "--csv")).toBe(
      [
        "team_name,team_id,runs,prompt_tokens,cached_tokens,image_tokens,completion_tokens,reasoning_tokens,images,cost_usd",
        '"lab, ""north""",team-2,1,100,40,0,20,5,0,1000.00',
        "'=HYPERLINK(evil),team-1,3,300,120,0,60,15,0,0.0000003",
        "",
      ].join("\r\n"),
    );
    for (const model of ["+1", "-1", "@sum", "\tx"]) await ran({ model, startTime: at(20) });
    const lines = (await hearth("usage", "--by", "model", "--from", "2026-11-20", "--csv")).split("\r\n");
    expect(lines.slice(1, 5).map((line) => line.split(",")[0])).toEqual(['"\'\tx"', "'+1", "'-1", "'@sum"]);
  });

  it.each([
    [["--from", "yesterday"], "It must be like 2026-11-21"],
    [["--from", "2026-02-30"], "It must be like 2026-11-21"],
    [["--from", "2026-11-22"], "to must be after from."],
    [["--by", "mood"], "Allowed choices are day, hour, key, model, team, tag, user"],
    [["--csv", "--json"], "cannot be used with"],
  ])("exits with code 2 for %j", async (words, message) => {
    const { hearth } = await createEnvironment();
    const refusal = { code: expect.stringMatching(/^commander\./) as string };
    const refused = hearth("usage", ...words);
    await expect(refused).rejects.toMatchObject(refusal);
    await expect(refused).rejects.toThrow(message);
  });
});

describe("hearth usage --as hosted", () => {
  /** Each run has 60 evaluated, 40 cached and 25 sampled tokens. */
  const cost = (prompt: number, cached: number, completion: number): number =>
    60 * prompt + 40 * cached + 25 * completion;
  const usd = (ticks: number): string => String(ticks / 1e10);

  it("uses the prices of the requested model name, else of another name of the same model, else none", async () => {
    const { hearth, json } = await createEnvironment();
    await hearth(
      "prices",
      "compare",
      "set",
      "hosted-mini",
      "--prompt",
      "3",
      "--completion",
      "15",
      "--cached",
      "0.75",
    );
    await hearth("prices", "compare", "set", "nobody", "--prompt", "1", "--completion", "1");
    const [mini, one] = [cost(30_000, 7_500, 150_000), 1_000 / 1e10];
    expect(one).toBe(1e-7);
    expect(await json("usage", "--by", "model", "--as", "hosted")).toMatchObject({
      rows: [
        { model: "other", hostedUsd: null, hostedRuns: 0, hostedTokens: 0 },
        { model: "small", costUsd: "0.0000003", hostedUsd: usd(3 * mini), hostedRuns: 3, hostedTokens: 375 },
      ],
      total: { costUsd: "1000.0000003", hostedUsd: usd(3 * mini), hostedRuns: 3 },
    });
    await hearth("prices", "compare", "set", "hosted-max", "--prompt", "30", "--completion", "60");
    await hearth("prices", "compare", "set", "small", "--prompt", "1", "--completion", "2");
    const own = cost(10_000, 10_000, 20_000);
    const lines = (await hearth("usage", "--as", "hosted")).split("\n");
    expect(lines[0]).toMatch(/COST USD +HOSTED USD$/);
    expect(lines[1]).toMatch(new RegExp(`^2026-11-01 .* ${usd(own)}$`));
    expect(lines[2]).toMatch(new RegExp(`^2026-11-03 .* ${usd(mini)}$`));
    expect(lines.at(-2)).toBe("Hosted prices cover 3 of 4 runs, 375 of 500 tokens.");
    const csv = await hearth("usage", "--by", "model", "--as", "hosted", "--csv");
    expect(
      csv
        .split("\r\n")
        .slice(0, 3)
        .map((line) => line.split(",").slice(-4).join()),
    ).toEqual([
      "cost_usd,hosted_usd,hosted_runs,hosted_tokens",
      "1000.00,,0,0",
      `0.0000003,${usd(own + 2 * mini)},3,375`,
    ]);
  });

  it("uses the prices that were in effect in each hour, and the first prices for earlier hours", async () => {
    const { hearth, json, clock } = await createEnvironment();
    clock.time = at(3, 23, 30);
    await hearth("prices", "compare", "set", "hosted-mini", "--prompt", "2", "--completion", "2");
    clock.time = at(4, 0, 10);
    await hearth("prices", "compare", "set", "hosted-mini", "--prompt", "9", "--completion", "9");
    await hearth("prices", "compare", "set", "hosted-mini", "--prompt", "4", "--completion", "4");
    clock.time = at(21, 12);
    const { rows } = await json<{ rows: readonly { hostedUsd: string }[] }>(
      "usage",
      "--by",
      "hour",
      "--as",
      "hosted",
    );
    expect(rows.map(({ hostedUsd }) => hostedUsd)).toEqual([
      usd(125 * 20_000),
      usd(125 * 20_000),
      usd(125 * 40_000),
      null,
    ]);
  });
});

describe("hearth prices compare", () => {
  it("sets, lists and removes prices and writes each change to the audit log", async () => {
    const { hearth, json } = await createEnvironment();
    await hearth("prices", "compare", "set", "hosted-mini", "--prompt", "0.25", "--completion", "1.5");
    await hearth(
      "prices",
      "compare",
      "set",
      "hosted-mini",
      "--prompt",
      "0.2",
      "--completion",
      "1.5",
      "--cached",
      "0.0001",
    );
    expect(await hearth("prices", "compare", "ls")).toBe(
      [
        "ALIAS         PROMPT USD   CACHED USD   COMPLETION USD   SINCE",
        "hosted-mini         0.20       0.0001             1.50   2026-11-21T12:00:00.000Z",
        "",
      ].join("\n"),
    );
    expect(await hearth("prices", "compare", "rm", "hosted-mini")).toBe(
      "removed the prices of hosted-mini\n",
    );
    expect(await json("prices", "compare", "ls")).toEqual([]);
    await expect(hearth("prices", "compare", "rm", "hosted-mini")).rejects.toThrow(
      "'hosted-mini' has no hosted prices.",
    );
    expect(await json("audit")).toMatchObject([
      { act: "DeleteHostedPrice", objectId: "hosted-mini", before: { promptUsd: "0.20" } },
      { act: "SetHostedPrice", before: { cachedUsd: "0.25" }, after: { cachedUsd: "0.0001" } },
      { act: "SetHostedPrice", after: { promptUsd: "0.25", completionUsd: "1.50" } },
    ]);
  });

  it.each([
    [["a b", "--prompt", "1", "--completion", "1"], "alias must be the name of a model"],
    [["a", "--prompt", "0.00001", "--completion", "1"], "prompt must be a whole number of ticks per token"],
    [["a", "--prompt", "1", "--completion=-1"], "completion must not be negative."],
    [["a", "--prompt", "1", "--completion", "1", "--cached", "x"], "cached must be an amount of USD"],
    [["a", "--prompt", "1"], "required option '--completion <usd>' not specified"],
  ])("exits with code 2 for %j and sets nothing", async (words, message) => {
    const { hearth, json } = await createEnvironment();
    await expect(hearth("prices", "compare", "set", ...words)).rejects.toThrow(message);
    expect(await json("prices", "compare", "ls")).toEqual([]);
  });
});

it("knows the models of the server by their ids and aliases", async () => {
  const { config } = loadConfig({ HEARTH_DATA: join(temporaryFolder(), "data") });
  const operator = await openOperator(config);
  const api = new OperatorClient(operator);
  const { teamId } = await api.request<WireTeam>("POST", "/operator/teams", {
    name: "ops",
    billing: "unmetered",
  });
  const [alias = ""] = (await openRegistry(config)).find("hearth-tiny-5m")?.manifest.aliases ?? [];
  const path = `/auth/teams/${teamId}/limits`;
  const limits = await api.request("PUT", path, { model: alias, limits: { qps: 1 } });
  await operator.close();
  expect(limits).toMatchObject({ model: "hearth-tiny-5m" });
});

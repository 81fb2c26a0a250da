/** `hearth budgets`: shows and sets the budgets of keys, members, teams, tags and end users, with or without a running server. */
import { budgetPeriods } from "../../accounts/money/budget-periods.js";
import { Option, type Command } from "commander";
import { subjectFields, type BudgetPeriod } from "../../accounts/budgets/budget.js";
import type { WireBudget } from "../../http/management/billing/present-budget.js";
import type { OperatorKey } from "../../http/management/operator/keys.js";
import type { WireMember } from "../../http/server/present-member.js";
import type { WireTeam } from "../../http/management/teams/present-team.js";
import type { OperatorClient } from "../operator.js";
import { printListing, withListing, type ListingOptions } from "../listing.js";
import type { TableColumn } from "../table.js";
import {
  limitArgument,
  reportInvalidValues,
  type AccountsIo,
  type UsingOperator,
} from "../command-helpers.js";

interface SubjectOptions extends ListingOptions {
  readonly key?: string;
  readonly member?: string;
  readonly team?: string;
  readonly tag?: string;
  readonly user?: string;
}

interface SetOptions extends SubjectOptions {
  readonly period: BudgetPeriod;
  readonly hardUsd?: string;
  readonly softUsd?: string;
  readonly hardTokens?: number | "none";
  readonly softTokens?: number | "none";
}

/** A budget with the name of its subject. */
interface NamedBudget {
  readonly name: string;
  readonly budget: WireBudget;
}

/** What a budget is set of. */
interface Subject {
  readonly teamId: string;
  readonly name: string;
  /** The fields that name it, none for the team. */
  readonly named: Readonly<Partial<Record<(typeof subjectFields)[number][0], string>>>;
}

/** Adds `budgets ls` and `budgets set`. */
export function addBudgetsCommand(program: Command, using: UsingOperator, io: AccountsIo): void {
  const budgets = program
    .command("budgets")
    .description("show and set the budgets of keys, members, teams, tags and end users");
  const print = (items: readonly NamedBudget[], options: ListingOptions): void =>
    printListing(io, options, {
      items,
      columns,
      json: () => items.map(toJson),
      empty: "No budgets. Set one: hearth budgets set --team TEAM --period month --hard-usd 20",
    });
  withListing(budgets.command("ls").alias("list"))
    .description("list the budgets and what is spent in the current period")
    .argument("[team]", "only this team, by ID or name")
    .action(async (reference: string | undefined, options: ListingOptions) =>
      print(await using((api) => listBudgets(api, reference)), options),
    );
  withListing(budgets.command("set"))
    .description("set a budget; it takes effect at the next request, and without any limit it is removed")
    .option("--key <key>", "of this API key, by ID or redacted form")
    .option("--member <member>", "of all keys that this member created in the team, by ID or e-mail")
    .option("--tag <tag>", "of all requests of the team with this tag")
    .option("--user <user>", "of all requests of the team for this end user")
    .option("--team <team>", "of this team, by ID or name; with --member, the team of the keys")
    .addOption(
      new Option("--period <period>", "UTC; a week starts on Monday, total never resets")
        .choices(budgetPeriods)
        .makeOptionMandatory(),
    )
    .option("--hard-usd <usd>", "refuse requests beyond this amount, such as 12.50, or none")
    .option("--soft-usd <usd>", "warn when this amount is spent, or none")
    .option("--hard-tokens <number>", "refuse requests beyond these tokens, or none", limitArgument)
    .option("--soft-tokens <number>", "warn when these tokens are used, or none", limitArgument)
    .action(async (options: SetOptions, command: Command) => {
      const set = () => using((api) => setBudget(api, options, command));
      const all = await reportInvalidValues(command, set);
      if (all.length > 0 || options.json === true) print(all, options);
      else io.out.write("removed the budget: it has no limit any more\n");
    });
}

async function setBudget(
  api: OperatorClient,
  options: SetOptions,
  command: Command,
): Promise<readonly NamedBudget[]> {
  const { name, teamId, named } = await findSubject(api, options, command);
  const budget = toChange(options);
  const fieldMask = Object.keys(budget).join();
  if (fieldMask === "") return command.error("error: name a limit, such as --hard-usd 10", { exitCode: 2 });
  const request = { ...named, period: options.period, budget, fieldMask };
  const path = `/auth/teams/${teamId}/budgets`;
  const { budget: changed } = await api.request<{ budget?: WireBudget }>("PUT", path, request);
  return changed === undefined ? [] : [{ name, budget: changed }];
}

async function findSubject(
  api: OperatorClient,
  { key, member, team, tag, user }: SubjectOptions,
  command: Command,
): Promise<Subject> {
  const subjects = [key, member, tag, user].filter((given) => given !== undefined);
  if (subjects.length > 1 || (key !== undefined && team !== undefined))
    return command.error("error: name one of --key, --member, --tag and --user; --key goes without --team", {
      exitCode: 2,
    });
  if (key !== undefined) {
    const { apiKeyId, teamId, name } = await api.findKey(key);
    return { teamId, name, named: { apiKeyId } };
  }
  const found = team === undefined ? null : await api.findTeam(team);
  const label = tag ?? user;
  if (label !== undefined) {
    if (found === null) return command.error("error: name the --team", { exitCode: 2 });
    return {
      teamId: found.teamId,
      name: label,
      named: tag === undefined ? { endUser: label } : { tag: label },
    };
  }
  if (member === undefined) {
    if (found === null)
      return command.error("error: name a --key, a --member, a --tag, a --user or a --team", { exitCode: 2 });
    return { teamId: found.teamId, name: found.name, named: {} };
  }
  const { memberId, teamId: own, email } = await api.findMember(member);
  const teamId = found?.teamId ?? own;
  if (teamId === undefined)
    return command.error("error: this member is of no single team: name the --team", { exitCode: 2 });
  return { teamId, name: email, named: { memberId } };
}

function toChange({ hardUsd, softUsd, hardTokens, softTokens }: SetOptions): object {
  const given = Object.entries({ hardUsd, softUsd, hardTokens, softTokens }).filter(
    ([, limit]) => limit !== undefined,
  );
  return Object.fromEntries(given.map(([name, limit]) => [name, limit === "none" ? null : limit])) as object;
}

/** Returns the budgets of one team, or of all teams, with the names of their subjects. */
async function listBudgets(
  api: OperatorClient,
  reference: string | undefined,
): Promise<readonly NamedBudget[]> {
  const shown =
    reference === undefined
      ? await api.list<WireTeam>("/auth/teams", "teams")
      : [await api.findTeam(reference)];
  const { apiKeys } = await api.get<{ apiKeys: readonly OperatorKey[] }>("/operator/api-keys");
  const { members } = await api.get<{ members: readonly WireMember[] }>("/operator/members");
  const names = new Map<string, string>([
    ...shown.map(({ teamId, name }) => [teamId, name] as const),
    ...apiKeys.map(({ apiKeyId, name }) => [apiKeyId, name] as const),
    ...members.map(({ memberId, email }) => [memberId, email] as const),
  ]);
  const all: NamedBudget[] = [];
  for (const { teamId } of shown)
    for (const budget of await api.list<WireBudget>(`/auth/teams/${teamId}/budgets`, "budgets")) {
      const [, id] = readSubject(budget);
      all.push({ name: names.get(id) ?? id, budget });
    }
  return all;
}

function readSubject(budget: WireBudget): readonly [subject: string, id: string] {
  for (const [field, subject] of subjectFields) {
    const id = budget[field];
    if (id !== undefined) return [subject, id];
  }
  return ["team", budget.teamId];
}

function toJson({ name, budget }: NamedBudget) {
  const [subject, id] = readSubject(budget);
  return {
    subject,
    id,
    name,
    teamId: budget.teamId,
    period: budget.period,
    hardUsd: budget.hardUsd ?? null,
    softUsd: budget.softUsd ?? null,
    spentUsd: budget.spentUsd,
    reservedUsd: budget.reservedUsd,
    hardTokens: budget.hardTokens === undefined ? null : Number(budget.hardTokens),
    softTokens: budget.softTokens === undefined ? null : Number(budget.softTokens),
    spentTokens: Number(budget.spentTokens),
    reservedTokens: Number(budget.reservedTokens),
    startTime: budget.startTime,
    resetTime: budget.resetTime ?? null,
  };
}

const limit = (value: string | undefined): string => value ?? "none";

const columns: readonly TableColumn<NamedBudget>[] = [
  { title: "SUBJECT", cell: ({ budget }) => readSubject(budget)[0], leftOut: 6 },
  { title: "NAME", cell: ({ name }) => name, charsMin: 12 },
  { title: "ID", cell: ({ budget }) => readSubject(budget)[1], kind: "id", leftOut: 1 },
  { title: "PERIOD", cell: ({ budget }) => budget.period },
  { title: "SPENT USD", cell: ({ budget }) => budget.spentUsd, kind: "number" },
  { title: "SOFT USD", cell: ({ budget }) => limit(budget.softUsd), kind: "number", leftOut: 3 },
  { title: "HARD USD", cell: ({ budget }) => limit(budget.hardUsd), kind: "number" },
  { title: "SPENT TOKENS", cell: ({ budget }) => budget.spentTokens, kind: "number", leftOut: 4 },
  { title: "SOFT TOKENS", cell: ({ budget }) => limit(budget.softTokens), kind: "number", leftOut: 2 },
  { title: "HARD TOKENS", cell: ({ budget }) => limit(budget.hardTokens), kind: "number", leftOut: 5 },
  { title: "RESETS", cell: ({ budget }) => budget.resetTime ?? "never", kind: "time" },
];

/** `hearth budgets`: shows and sets the budgets of keys, members, teams, tags and end users, with or without a running server. */
import { budgetPeriods } from "../../accounts/money/budget-periods.js";
import { Option, type Command } from "commander";
import type { BudgetChange } from "../../accounts/budgets/budgets.js";
import { type BudgetName, type BudgetPeriod, type BudgetStatus } from "../../accounts/budgets/budget.js";
import type { OpenAccounts } from "../../app/app.js";
import { ticksToUsd, type Ticks } from "../../core/money.js";
import { formatJson, formatTable } from "../table.js";
import {
  limitArgument,
  reportInvalidValues,
  type AccountsIo,
  type UsingAccounts,
} from "../command-helpers.js";

interface SubjectOptions {
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
  readonly json?: true;
}

/** A budget with the name of its subject. */
interface NamedBudget {
  readonly name: string;
  readonly budget: BudgetStatus;
}

/** Budgets that are read at once. */
const pageItems = 1000;

/** Adds `budgets list` and `budgets set`. */
export function addBudgetsCommand(program: Command, using: UsingAccounts, io: AccountsIo): void {
  const budgets = program
    .command("budgets")
    .description("show and set the budgets of keys, members, teams, tags and end users");
  const print = (all: readonly NamedBudget[], json: boolean): void =>
    void io.out.write(json ? formatJson(all.map(toJson)) : toTable(all));
  budgets
    .command("list")
    .description("list the budgets and what is spent in the current period")
    .argument("[team]", "only this team, by ID or name")
    .option("--json", "print one JSON array")
    .action(async (reference: string | undefined, { json }: Pick<SetOptions, "json">) =>
      print(await using((accounts) => allBudgets(accounts, reference)), json === true),
    );
  budgets
    .command("set")
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
    .option("--json", "print one JSON array")
    .action(async (options: SetOptions, command: Command) => {
      const set = () => using((accounts) => setBudget(accounts, options, command));
      print(await reportInvalidValues(command, set), options.json === true);
    });
}

async function setBudget(
  accounts: OpenAccounts,
  options: SetOptions,
  command: Command,
): Promise<readonly NamedBudget[]> {
  const { name, ...subject } = await findSubject(accounts, options, command);
  const change = toChange(options);
  if (Object.keys(change).length === 0)
    return command.error("error: name a limit, such as --hard-usd 10", { exitCode: 2 });
  const budget = await accounts.budgets.change(
    { ...subject, period: options.period },
    change,
    accounts.actor,
  );
  return budget === null ? [] : [{ name, budget }];
}

async function findSubject(
  { keys, members, teams }: OpenAccounts,
  { key, member, team, tag, user }: SubjectOptions,
  command: Command,
): Promise<Omit<BudgetName, "period"> & { readonly name: string }> {
  const subjects = [key, member, tag, user].filter((given) => given !== undefined);
  if (subjects.length > 1 || (key !== undefined && team !== undefined))
    return command.error("error: name one of --key, --member, --tag and --user; --key goes without --team", {
      exitCode: 2,
    });
  if (key !== undefined) {
    const { id, teamId, name } = await keys.resolve(key);
    return { teamId, subject: "key", subjectId: id, name };
  }
  const named = team === undefined ? null : await teams.resolve(team);
  const label = tag ?? user;
  if (label !== undefined) {
    if (named === null) return command.error("error: name the --team", { exitCode: 2 });
    return { teamId: named.id, subject: tag === undefined ? "user" : "tag", subjectId: label, name: label };
  }
  if (member === undefined) {
    if (named === null)
      return command.error("error: name a --key, a --member, a --tag, a --user or a --team", { exitCode: 2 });
    return { teamId: named.id, subject: "team", subjectId: named.id, name: named.name };
  }
  const { id, teamId: own, email } = await members.resolve(member);
  const teamId = named?.id ?? own;
  if (teamId === null)
    return command.error("error: this member is of no single team: name the --team", { exitCode: 2 });
  return { teamId, subject: "member", subjectId: id, name: email };
}

function toChange({ hardUsd, softUsd, hardTokens, softTokens }: SetOptions): BudgetChange {
  const given = Object.entries({ hardUsd, softUsd, hardTokens, softTokens }).filter(
    ([, limit]) => limit !== undefined,
  );
  return Object.fromEntries(given.map(([name, limit]) => [name, limit === "none" ? null : limit]));
}

/** Returns the budgets of one team, or of all teams, with the names of their subjects. */
async function allBudgets(
  { budgets, keys, members, teams, actor }: OpenAccounts,
  reference: string | undefined,
): Promise<readonly NamedBudget[]> {
  const shown = reference === undefined ? await teams.list(actor) : [await teams.resolve(reference)];
  const names = new Map<string, string>([
    ...shown.map(({ id, name }) => [id, name] as const),
    ...(await keys.list()).map(({ key }) => [key.id, key.name] as const),
    ...(await members.list()).map(({ id, email }) => [id, email] as const),
  ]);
  const all: NamedBudget[] = [];
  for (const { id } of shown)
    for (let after: BudgetStatus | null = null; ;) {
      const page: readonly BudgetStatus[] = await budgets.page(
        { teamId: id, of: null, after, limit: pageItems },
        actor,
      );
      for (const budget of page) all.push({ name: names.get(budget.subjectId) ?? budget.subjectId, budget });
      after = page.at(-1) ?? null;
      if (page.length < pageItems) break;
    }
  return all;
}

/** Money is decimal text: a float would round it. */
function toJson({ name, budget }: NamedBudget) {
  return {
    subject: budget.subject,
    id: budget.subjectId,
    name,
    teamId: budget.teamId,
    period: budget.period,
    hardUsd: limitUsd(budget.hardTicks),
    softUsd: limitUsd(budget.softTicks),
    spentUsd: ticksToUsd(budget.spentTicks),
    reservedUsd: ticksToUsd(budget.reservedTicks),
    hardTokens: budget.hardTokens,
    softTokens: budget.softTokens,
    spentTokens: budget.spentTokens,
    reservedTokens: budget.reservedTokens,
    startTime: new Date(budget.startTime).toISOString(),
    resetTime: budget.resetTime === null ? null : new Date(budget.resetTime).toISOString(),
  };
}

function toTable(all: readonly NamedBudget[]): string {
  const header = [
    "SUBJECT",
    "NAME",
    "ID",
    "PERIOD",
    "SPENT USD",
    "SOFT USD",
    "HARD USD",
    "SPENT TOKENS",
    "SOFT TOKENS",
    "HARD TOKENS",
    "RESETS",
  ];
  const rows = all.map(({ name, budget }) => [
    budget.subject,
    name,
    budget.subjectId,
    budget.period,
    ticksToUsd(budget.spentTicks),
    limitUsd(budget.softTicks) ?? "none",
    limitUsd(budget.hardTicks) ?? "none",
    String(budget.spentTokens),
    String(budget.softTokens ?? "none"),
    String(budget.hardTokens ?? "none"),
    budget.resetTime === null ? "never" : new Date(budget.resetTime).toISOString(),
  ]);
  return formatTable(header, rows);
}

function limitUsd(ticks: Ticks | null): string | null {
  return ticks === null ? null : ticksToUsd(BigInt(ticks));
}

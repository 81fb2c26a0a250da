/** Names of teams: references to them in commands and settings, and so unique. */
import { serverActor } from "../audit/actors.js";
import { auditedTeam, commitAudited, type AuditDeps } from "../audit/audited-change.js";
import { HearthError } from "../../core/errors.js";
import { checkName, invalid } from "../field-rules.js";
import { foldName, looksLikeId } from "../names.js";
import type { TeamStore } from "./store.js";

/**
 * Checks the name that a team gets.
 * @param id of the team; null = it is created with the name
 * @throws HearthError `invalid_value`, `conflict` when another team has the name, in whatever case and spacing.
 */
export async function checkTeamName(teams: TeamStore, name: string, id: string | null): Promise<void> {
  checkName(name);
  const folded = foldName(name);
  if (folded === "") throw invalid("name", "must have visible characters");
  if (looksLikeId(name)) throw invalid("name", "must not have the form of an id");
  const other = (await teams.list()).find((team) => team.id !== id && foldName(team.name) === folded);
  if (other !== undefined)
    throw new HearthError("conflict", `There is a team '${other.name}' already.`, { param: "name" });
}

interface TeamNameDeps extends AuditDeps {
  readonly teams: TeamStore;
}

/**
 * Makes the names of teams unique that were stored before they had to be: the oldest team keeps the name, a later one gets a number. Does
 * nothing once that is done.
 */
export async function completeTeamNames(deps: TeamNameDeps): Promise<void> {
  const { teams } = deps;
  const unfolded = new Set(await teams.idsWithoutFoldedName());
  if (unfolded.size === 0) return;
  const all = await teams.list();
  const taken = new Set(all.filter(({ id }) => !unfolded.has(id)).map(({ name }) => foldName(name)));
  for (const before of all.filter(({ id }) => unfolded.has(id))) {
    const after = { ...before, name: freeName(before.name, taken) };
    taken.add(foldName(after.name));
    const change = teams.replacement(before, after);
    if (after.name === before.name) await deps.writes.commit([change]);
    else
      await commitAudited(deps, serverActor, {
        action: "UpdateTeam",
        objectId: before.id,
        teamId: before.id,
        description: `Renamed the team '${before.name}': an older team has this name`,
        before: auditedTeam(before),
        after: auditedTeam(after),
        change,
      });
  }
}

/** Characters of a name that are kept before a number. */
const stemCharactersMax = 90;

function freeName(name: string, taken: ReadonlySet<string>): string {
  const stem = foldName(name) === "" ? "team" : [...name].slice(0, stemCharactersMax).join("").trim();
  const isFree = (each: string): boolean => !taken.has(foldName(each)) && !looksLikeId(each);
  if (foldName(name) !== "" && isFree(name)) return name;
  for (let number = 2; ; number += 1) if (isFree(`${stem} (${number})`)) return `${stem} (${number})`;
}

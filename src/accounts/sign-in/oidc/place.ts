/** Which team and role the groups of a person give them. */
import type { MemberRole } from "../../principals/member.js";
import { foldName } from "../../names.js";
import type { Team } from "../../principals/team.js";
import type { Person } from "./person.js";
import { OidcRefusal } from "./refusal.js";

/** An entry of the configuration: the members of a group have this role in this team. */
export interface GroupRule {
  readonly group: string;
  /** Name or id of a team; `*`: the whole server. */
  readonly team: string;
  readonly role: MemberRole;
}

export interface Place {
  /** null = the whole server. */
  readonly teamId: string | null;
  readonly role: MemberRole;
}

/**
 * Returns the place of the first entry whose group the person has.
 * @throws OidcRefusal `no_group`, or `unknown_team` when the entry's team does not exist or several have its name.
 */
export function findPlace(
  { groups, subject }: Person,
  rules: readonly GroupRule[],
  teams: readonly Team[],
): Place {
  const rule = rules.find(({ group }) => groups.includes(group));
  if (rule === undefined) throw new OidcRefusal("no_group", { subject, groups });
  if (rule.team === "*") return { teamId: null, role: rule.role };
  const named = teams.filter(({ name }) => foldName(name) === foldName(rule.team));
  const team = teams.find(({ id }) => id === rule.team) ?? (named.length === 1 ? named[0] : undefined);
  if (team === undefined) throw new OidcRefusal("unknown_team", { subject, groups: [rule.group] });
  return { teamId: team.id, role: rule.role };
}

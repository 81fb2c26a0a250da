/** The columns of teams and members that queries of keys and sessions select with them: they come as the objects `team` and `member`. */

const ofTeam = ["id", "name", "billing", "blocked", "weight", "acls", "keepsBodies", "createTime"] as const;
const ofMember = ["id", "teamId", "email", "givenName", "familyName", "role", "createTime"] as const;

/** A query with these joins `teams`. */
export const teamColumns = ofTeam.map((name) => `teams.${name} as team.${name}` as const);

/** A query with these joins `members`. */
export const memberColumns = ofMember.map((name) => `members.${name} as member.${name}` as const);

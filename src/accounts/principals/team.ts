import type { Row } from "../../store/tables.js";

export type { BillingMode } from "../../store/column-values.js";

export type Team = Omit<Row<"teams">, "nameFolded">;

/** The settings of a team for which nothing is said. */
export const defaultTeamSettings = {
  blocked: false,
  weight: 1,
  acls: null,
  keepsBodies: false,
} as const satisfies Partial<Team>;

/** What usage can be stacked by. A further grouping is a line of this table. */
import { operatorId } from "../../../accounts/audit/actors.js";
import type { UsageSeries } from "../../api/usage.js";

export interface Grouping {
  readonly name: string;
  /** What a group is, as a title. */
  readonly title: string;
  /** What the API calls it. */
  readonly field: string;
  readonly toLabel: (series: Named) => string;
  /** true: a request is in no group, in one or in several, so that the groups do not add up to all usage. */
  readonly isPart?: true;
}

type Named = Pick<UsageSeries, "label"> & { readonly id: string };

export const groupings: readonly [Grouping, ...(readonly Grouping[])] = [
  { name: "model", title: "Model", field: "description", toLabel: ({ label }) => label },
  { name: "key", title: "API key", field: "apiKeyId", toLabel: keyLabel },
  { name: "member", title: "Member", field: "memberId", toLabel: memberLabel },
  { name: "tag", title: "Tag", field: "tag", toLabel: labelLabel, isPart: true },
  { name: "user", title: "End user", field: "endUser", toLabel: labelLabel, isPart: true },
];

/** The API has no name for a key that was deleted. */
function keyLabel({ id, label }: Named): string {
  return label === id ? `Deleted key ${id.slice(0, 13)}` : label;
}

/** Under `*` the server sums what exceeds the number of tags and end users that a team may have. */
function labelLabel({ id, label }: Named): string {
  return id === "*" ? "All others" : label;
}

function memberLabel({ id, label }: Named): string {
  if (id === "") return "Deleted keys";
  return id === operatorId ? "Operator (command line)" : label;
}

/** What usage can be stacked by. A further grouping is a line of this table. */
import type { UsageSeries } from "../../api/usage.js";

export interface Grouping {
  readonly name: string;
  /** What a group is, as a title. */
  readonly title: string;
  /** What the API calls it. */
  readonly field: string;
  readonly labelOf: (series: Named) => string;
}

type Named = Pick<UsageSeries, "label"> & { readonly id: string };

/** The command line and the server act as this user, who is no member. */
const operatorId = "00000000-0000-0000-0000-000000000000";

export const groupings: readonly [Grouping, ...(readonly Grouping[])] = [
  { name: "model", title: "Model", field: "description", labelOf: ({ label }) => label },
  { name: "key", title: "API key", field: "apiKeyId", labelOf: keyLabel },
  { name: "member", title: "Member", field: "memberId", labelOf: memberLabel },
];

/** The API has no name for a key that was deleted. */
function keyLabel({ id, label }: Named): string {
  return label === id ? `Deleted key ${id.slice(0, 13)}` : label;
}

function memberLabel({ id, label }: Named): string {
  if (id === "") return "Deleted keys";
  return id === operatorId ? "Operator (command line)" : label;
}

/**
 * Which labels of a team are summed by themselves: in each month (UTC) the first so many of each source. Runs with further ones are
 * summed under `*`, so that a client with a new label in every request makes no sum for each.
 */
import { sql } from "kysely";
import type { Database } from "../../../store/database.js";
import type { LabelSource } from "../../../store/column-values.js";
import { createWrite, type Write } from "../../../store/writes.js";
import { toMonth } from "../spending.js";
import type { SpendLabels } from "../../principals/spend-labels.js";

interface LabelBounds {
  /** Labels that a team may have in a month. */
  readonly perMonthMax: Readonly<Record<LabelSource, number>>;
}

const defaultBounds: LabelBounds = { perMonthMax: { header: 1000, metadata: 1000, user: 10_000 } };

/** Months of teams that are in memory; the oldest is read again when it is needed. */
const monthsMax = 1000;

/** What a run adds to the labels that are counted. */
interface LabelRegistration {
  /** Executed in the transaction that inserts the run. */
  readonly writes: readonly Write[];
  /** Called once they are committed. */
  committed(): void;
}

type Counted = Readonly<Record<LabelSource, Set<string>>>;

/** The table of counted labels; `register` is called for every run that has any. */
export function createCountedLabelStore({ kysely }: Database, { perMonthMax }: LabelBounds = defaultBounds) {
  const months = new Map<string, Promise<Counted>>();
  const load = async (teamId: string, month: number): Promise<Counted> => {
    const counted: Counted = { header: new Set(), metadata: new Set(), user: new Set() };
    const rows = await kysely
      .selectFrom("countedLabels")
      .select(["source", "label"])
      .where("teamId", "=", teamId)
      .where("month", "=", month)
      .execute();
    for (const { source, label } of rows) counted[source].add(label);
    return counted;
  };
  const countedIn = (teamId: string, month: number): Promise<Counted> => {
    const name = `${month} ${teamId}`;
    const known = months.get(name);
    if (known !== undefined) return known;
    const [oldest] = months.keys();
    if (months.size >= monthsMax && oldest !== undefined) months.delete(oldest);
    const loading = load(teamId, month);
    months.set(name, loading);
    loading.catch(() => months.delete(name));
    return loading;
  };
  return {
    /** Registers the labels of a run that starts at that time, as far as there is room. */
    async register(teamId: string, startTime: number, labels: SpendLabels): Promise<LabelRegistration> {
      const labelled = labelsBySource(labels);
      if (labelled.length === 0) return nothing;
      const month = toMonth(startTime);
      const counted = await countedIn(teamId, month);
      const added = labelled.filter(
        ([source, label]) => !counted[source].has(label) && counted[source].size < perMonthMax[source],
      );
      return {
        writes: added.map(([source, label]) =>
          createWrite(
            "countedLabels",
            sql`insert into counted_labels (team_id, month, source, label)
              values (${teamId}, ${month}, ${source}, ${label}) on conflict do nothing`.compile(kysely),
          ),
        ),
        committed() {
          for (const [source, label] of added) counted[source].add(label);
        },
      };
    },
  };
}

const nothing: LabelRegistration = { writes: [], committed: () => undefined };

function labelsBySource({
  tags,
  metadata,
  endUser,
}: SpendLabels): readonly (readonly [LabelSource, string])[] {
  return [
    ...tags.map((tag) => ["header", tag] as const),
    ...metadata.map((tag) => ["metadata", tag] as const),
    ...(endUser === null ? [] : [["user", endUser] as const]),
  ];
}

import type { Migration } from "../migration.js";

/** Adds versioned prices of hosted services by alias, in ticks per token, and an index of transactions without a run. */
export const hostedPrices: Migration = [
  `create table hosted_prices (
  id integer primary key not null,
  alias text not null,
  prompt_ticks integer not null check (prompt_ticks >= 0),
  cached_ticks integer not null check (cached_ticks >= 0),
  completion_ticks integer not null check (completion_ticks >= 0),
  create_time integer not null
) strict`,
  `create index hosted_prices_by_alias on hosted_prices (alias, id)`,
  `create index ledger_money on ledger_transactions (team_id, create_time) where run_id is null`,
];

import type { Migration } from "../migration.js";

/**
 * Adds the ledger: transactions and entries, which are append-only, and the balance of every account, which a trigger on the
 * entries updates. `run_id` is not a foreign key: the charge of a run outlives its row. The prices of a run are a row of
 * `price_book`; runs older than that table have none.
 */
export const ledger: Migration = [
  `create table price_book (
  id integer primary key not null,
  model text not null,
  prompt_text_token_ticks integer not null check (prompt_text_token_ticks >= 0),
  cached_prompt_text_token_ticks integer not null check (cached_prompt_text_token_ticks >= 0),
  completion_text_token_ticks integer not null check (completion_text_token_ticks >= 0),
  create_time integer not null,
  unique (model, prompt_text_token_ticks, cached_prompt_text_token_ticks, completion_text_token_ticks)
) strict`,
  `alter table runs add column price_id integer references price_book (id)`,
  `alter table runs add column reserved_ticks integer check (reserved_ticks >= 0)`,
  `create table ledger_transactions (
  id integer primary key not null,
  kind text not null check (kind in ('reserve', 'settle', 'release', 'purchase', 'refund', 'adjust')),
  team_id text not null references teams (id),
  run_id text,
  note text,
  create_time integer not null,
  check ((run_id is null) = (kind in ('purchase', 'refund', 'adjust')))
) strict`,
  `create index ledger_transactions_by_team on ledger_transactions (team_id, create_time)`,
  `create unique index ledger_reserves on ledger_transactions (run_id) where kind = 'reserve'`,
  `create unique index ledger_run_ends on ledger_transactions (run_id) where kind in ('settle', 'release')`,
  `create table ledger_entries (
  transaction_id integer not null references ledger_transactions (id),
  account text not null check (account in ('credit', 'reserved', 'owed', 'revenue', 'purchases', 'adjustments')),
  amount_ticks integer not null check (amount_ticks <> 0),
  primary key (transaction_id, account)
) strict, without rowid`,
  `create table ledger_balances (
  team_id text not null references teams (id),
  account text not null,
  balance_ticks integer not null,
  primary key (team_id, account),
  constraint no_overdraft check (account not in ('credit', 'reserved') or balance_ticks >= 0),
  constraint countable check (account not in ('credit', 'reserved') or balance_ticks <= 9007199254740991)
) strict, without rowid`,
  // Two steps: an upsert would apply the checks to the entry's amount instead of the sum.
  `create trigger ledger_entries_are_counted after insert on ledger_entries begin
  insert into ledger_balances (team_id, account, balance_ticks)
    select team_id, new.account, 0 from ledger_transactions where id = new.transaction_id
    on conflict do nothing;
  update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
    where team_id = (select team_id from ledger_transactions where id = new.transaction_id)
    and account = new.account;
end`,
  ...appendOnly("ledger_transactions"),
  ...appendOnly("ledger_entries"),
];

function appendOnly(table: string): readonly string[] {
  return ["update", "delete"].map(
    (verb) => `create trigger ${table}_refuse_${verb} before ${verb} on ${table} begin
  select raise(abort, 'the ledger is append-only');
end`,
  );
}

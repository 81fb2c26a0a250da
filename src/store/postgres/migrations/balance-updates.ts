import type { Migration } from "../../migrations/migration.js";

/**
 * Adds an entry to the balance of its account as before, but attempts to insert a balance only where there is none: an attempt costs as
 * much as an update. The balance begins with 0, because its checks would see the amount of the entry alone.
 */
export const balanceUpdatesOfPostgres: Migration = [
  `create or replace function ledger_entries_count() returns trigger language plpgsql as $$
declare
  team text := (select team_id from ledger_transactions where id = new.transaction_id);
begin
  update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
    where team_id = team and account = new.account;
  if not found then
    insert into ledger_balances (team_id, account, balance_ticks) values (team, new.account, 0)
      on conflict (team_id, account) do nothing;
    update ledger_balances set balance_ticks = balance_ticks + new.amount_ticks
      where team_id = team and account = new.account;
  end if;
  return null;
end $$`,
];

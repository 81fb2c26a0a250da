import type { Migration } from "../../migrations/migration.js";

/**
 * The sliding windows of rate limits, which all servers of a database share. There is one entry for each millisecond in which something
 * was counted; `used` is the sum of the entries. The tables are not logged: a crash of the database empties them, as a restart empties
 * those in memory. A quota is changed by one transaction at a time, which holds its lock.
 */
export const rateWindowsOfPostgres: Migration = [
  `create unlogged table rate_windows (
  quota text collate "C" primary key,
  used bigint not null,
  last_time bigint not null
) with (fillfactor = 50)`,
  `create index rate_windows_by_time on rate_windows (last_time)`,
  `create unlogged table rate_entries (
  quota text collate "C" not null,
  time bigint not null,
  amount bigint not null,
  primary key (quota, time)
)`,
  // Sorted, so that two transactions never wait for one another.
  `create function rate_lock(quotas text[]) returns void language plpgsql as $$
declare
  lock bigint;
begin
  for lock in select distinct hashtextextended(quota, 0) as hash from unnest(quotas) as quota order by hash loop
    perform pg_advisory_xact_lock(lock);
  end loop;
end $$`,
  `create function rate_now() returns bigint language sql volatile
  return cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`,
  // Removes what has expired. Returns the sum of the rest.
  `create function rate_used(of text, span bigint, at bigint) returns bigint language plpgsql as $$
declare
  expired bigint;
  rest bigint;
begin
  with gone as (delete from rate_entries where quota = of and time <= at - span returning amount)
    select coalesce(sum(amount), 0) into expired from gone;
  update rate_windows set used = used - expired where expired > 0 and quota = of;
  select used into rest from rate_windows where quota = of;
  return coalesce(rest, 0);
end $$`,
  `create function rate_add(of text, more bigint, at bigint) returns void language plpgsql as $$
begin
  if more = 0 then
    return;
  end if;
  insert into rate_entries as kept (quota, time, amount) values (of, at, more)
    on conflict (quota, time) do update set amount = kept.amount + excluded.amount;
  insert into rate_windows as kept (quota, used, last_time) values (of, more, at)
    on conflict (quota) do update set used = kept.used + excluded.used, last_time = greatest(kept.last_time, excluded.last_time);
end $$`,
  // Subtracts from what was counted at a time; nothing when that has expired.
  `create function rate_give_back(of text, less bigint, counted_at bigint) returns void language plpgsql as $$
begin
  update rate_entries set amount = amount - less where quota = of and time = counted_at;
  if found then
    update rate_windows set used = used - less where quota = of;
    delete from rate_entries where quota = of and time = counted_at and amount <= 0;
  end if;
end $$`,
  /*
   * Counts all of the wanted demands, or none, and then gives back the earlier ones. A demand is {quota, span, most, amount}.
   * Returns a row for each of the earlier demands and each wanted one: what is used, when the last entry expires, and the first
   * time at which the amount fits, where it does not and ever will.
   */
  `create function rate_take(earlier jsonb, earlier_at bigint, wanted jsonb, given_time bigint)
returns table (counted_at bigint, taken boolean, used bigint, ends_at bigint, fits_at bigint) language plpgsql as $$
declare
  demands jsonb := earlier || wanted;
  demand jsonb;
begin
  perform rate_lock(array(select each ->> 'quota' from jsonb_array_elements(demands) as each));
  counted_at := coalesce(given_time, rate_now());
  select coalesce(bool_and(rate_used(each ->> 'quota', (each ->> 'span')::bigint, counted_at)
      + (each ->> 'amount')::bigint <= (each ->> 'most')::bigint), true)
    into taken from jsonb_array_elements(wanted) as each;
  if taken then
    perform rate_add(each ->> 'quota', (each ->> 'amount')::bigint, counted_at) from jsonb_array_elements(wanted) as each;
  else
    perform rate_give_back(each ->> 'quota', (each ->> 'amount')::bigint, earlier_at) from jsonb_array_elements(earlier) as each;
  end if;
  for demand in select each from jsonb_array_elements(demands) with ordinality as listed (each, place) order by place loop
    used := rate_used(demand ->> 'quota', (demand ->> 'span')::bigint, counted_at);
    select max(time) + (demand ->> 'span')::bigint into ends_at from rate_entries where quota = demand ->> 'quota';
    fits_at := null;
    if not taken and (demand ->> 'amount')::bigint <= (demand ->> 'most')::bigint then
      select time + (demand ->> 'span')::bigint into fits_at from (
        select time, sum(amount) over (order by time) as passed from rate_entries where quota = demand ->> 'quota'
      ) as passing where used - passed + (demand ->> 'amount')::bigint <= (demand ->> 'most')::bigint order by time limit 1;
    end if;
    return next;
  end loop;
end $$`,
  // Counts a positive difference now, and subtracts a negative one from what was counted at a time.
  `create function rate_correct(quotas jsonb, difference bigint, counted_at bigint, given_time bigint) returns void language plpgsql as $$
declare
  quota jsonb;
  at bigint;
begin
  perform rate_lock(array(select each ->> 'quota' from jsonb_array_elements(quotas) as each));
  at := coalesce(given_time, rate_now());
  for quota in select each from jsonb_array_elements(quotas) as each loop
    perform rate_used(quota ->> 'quota', (quota ->> 'span')::bigint, at);
    if difference > 0 then
      perform rate_add(quota ->> 'quota', difference, at);
    else
      perform rate_give_back(quota ->> 'quota', -difference, counted_at);
    end if;
  end loop;
end $$`,
  // Removes windows in which nothing was counted for a minute, those of another transaction excepted. Returns how many it looked at.
  `create function rate_sweep(given_time bigint) returns bigint language plpgsql as $$
declare
  idle text;
  seen bigint := 0;
  at bigint := coalesce(given_time, rate_now());
begin
  for idle in select quota from rate_windows where last_time <= at - 60000 limit 10000 loop
    seen := seen + 1;
    if pg_try_advisory_xact_lock(hashtextextended(idle, 0)) then
      delete from rate_windows where quota = idle and last_time <= at - 60000;
      delete from rate_entries where quota = idle and not exists (select 1 from rate_windows where quota = idle);
    end if;
  end loop;
  return seen;
end $$`,
];

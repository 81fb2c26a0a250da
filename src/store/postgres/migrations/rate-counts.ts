import type { Migration } from "../../migrations/migration.js";

/**
 * Counts all limits of a request with fewer statements, each of which looks up one window by its key: `rate_take` and `rate_correct` stay for
 * servers of the version before.
 */
export const rateCountsOfPostgres: Migration = [
  // Removes what has expired. Returns the sum of the rest.
  `create or replace function rate_used(of text, span bigint, at bigint) returns bigint language plpgsql as $$
declare
  expired bigint;
  rest bigint;
begin
  select sum(amount) into expired from rate_entries where quota = of and time <= at - span;
  if expired is null then
    select used into rest from rate_windows where quota = of;
  else
    delete from rate_entries where quota = of and time <= at - span;
    update rate_windows set used = used - expired where quota = of returning used into rest;
  end if;
  return coalesce(rest, 0);
end $$`,
  // Returns the first time at which an amount fits that does not fit now; null when it never will.
  `create function rate_fits_at(of text, span bigint, used bigint, more bigint, most bigint) returns bigint language sql stable return (
    select time + span from (
      select time, sum(amount) over (order by time) as passed from rate_entries where quota = of
    ) as passing where more <= most and used - passed + more <= most order by time limit 1)`,
  /*
   * Counts all wanted amounts, or none, and then gives back the earlier ones: the first \`earlier\` of the lists. Returns a row for each place
   * of the lists, with what is used, when the last entry expires, and when the amount fits where it does not.
   */
  `create function rate_count(quotas text[], spans bigint[], limits bigint[], amounts bigint[], earlier bigint, earlier_at bigint,
  given_time bigint)
returns table (counted_at bigint, taken boolean, used bigint, ends_at bigint, fits_at bigint) language plpgsql as $$
declare
  sums bigint[];
begin
  perform rate_lock(quotas);
  counted_at := coalesce(given_time, rate_now());
  taken := true;
  for place in 1 .. cardinality(quotas) loop
    sums[place] := rate_used(quotas[place], spans[place], counted_at);
    taken := taken and (place <= earlier or sums[place] + amounts[place] <= limits[place]);
  end loop;
  if not taken then
    for place in 1 .. earlier loop
      perform rate_give_back(quotas[place], amounts[place], earlier_at);
      sums[place] := rate_used(quotas[place], spans[place], counted_at);
    end loop;
  end if;
  for place in 1 .. cardinality(quotas) loop
    if taken and place > earlier and amounts[place] > 0 then
      insert into rate_entries as kept (quota, time, amount) values (quotas[place], counted_at, amounts[place])
        on conflict (quota, time) do update set amount = kept.amount + excluded.amount;
      update rate_windows as kept set used = kept.used + amounts[place], last_time = greatest(kept.last_time, counted_at)
        where quota = quotas[place] returning kept.used into used;
      if not found then
        insert into rate_windows (quota, used, last_time) values (quotas[place], amounts[place], counted_at);
        used := amounts[place];
      end if;
      ends_at := counted_at + spans[place];
    else
      used := sums[place];
      select max(time) + spans[place] into ends_at from rate_entries where quota = quotas[place];
    end if;
    fits_at := null;
    if not taken and used + amounts[place] > limits[place] then
      fits_at := rate_fits_at(quotas[place], spans[place], used, amounts[place], limits[place]);
    end if;
    return next;
  end loop;
end $$`,
  // Counts a positive difference now, and subtracts a negative one from what was counted at a time.
  `create function rate_adjust(quotas text[], difference bigint, counted_at bigint, given_time bigint) returns void language plpgsql as $$
declare
  at bigint;
  quota text;
begin
  perform rate_lock(quotas);
  at := coalesce(given_time, rate_now());
  foreach quota in array quotas loop
    if difference > 0 then
      perform rate_add(quota, difference, at);
    else
      perform rate_give_back(quota, -difference, counted_at);
    end if;
  end loop;
end $$`,
];

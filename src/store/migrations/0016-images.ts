import type { Migration } from "./migration.js";

/**
 * Drawn images: how many a run drew and what each cost, and those that are kept for a while as files beside the database. A
 * file without a row is nobody's. `run_id` is no foreign key: a name says nothing about who may fetch it.
 */
export const images: Migration = [
  `alter table runs add column images integer not null default 0 check (images >= 0)`,
  `alter table runs add column image_ticks integer not null default 0 check (image_ticks >= 0)`,
  `create table kept_images (
  name text primary key not null,
  run_id text not null,
  bytes integer not null check (bytes > 0),
  expire_time integer not null
) strict, without rowid`,
  `create index kept_images_by_expiry on kept_images (expire_time)`,
];

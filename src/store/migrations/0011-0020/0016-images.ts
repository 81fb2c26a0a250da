import type { Migration } from "../migration.js";

/**
 * Adds the number of images a run generated, the price of each, and the images stored for a while as files next to the database.
 * A file without a row is garbage. `run_id` is not a foreign key.
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

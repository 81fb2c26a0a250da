import type { Migration } from "../migration.js";

/** Adds where each server counts rate limits; null for a server of the version before. */
export const limitsPlace: Migration = [`alter table nodes add column limits_place text`];

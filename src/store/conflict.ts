import { HearthError } from "../core/errors.js";
import { readRefusal } from "./dialect/database-error.js";

/** Executes an insert. @throws HearthError `conflict` when a unique column already has the value. */
export async function insertUnique(what: string, insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert();
  } catch (thrown) {
    if (readRefusal(thrown) !== "unique") throw thrown;
    throw new HearthError("conflict", `This ${what} already exists.`, { cause: thrown });
  }
}

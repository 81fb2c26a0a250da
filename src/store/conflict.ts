import { HearthError } from "../core/errors.js";
import { errorCodeOf } from "./failure.js";

/** Executes an insert. @throws HearthError `conflict` when a unique column already has the value. */
export async function insertUnique(what: string, insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert();
  } catch (thrown) {
    const code = errorCodeOf(thrown);
    if (code !== "SQLITE_CONSTRAINT_UNIQUE" && code !== "SQLITE_CONSTRAINT_PRIMARYKEY") throw thrown;
    throw new HearthError("conflict", `This ${what} already exists.`, { cause: thrown });
  }
}

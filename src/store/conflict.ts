import { HearthError } from "../core/errors.js";
import { codeOf } from "./failure.js";

/** Runs an insert. @throws HearthError `conflict` when a unique column has that value already. */
export async function insertUnique(what: string, insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "SQLITE_CONSTRAINT_UNIQUE" && code !== "SQLITE_CONSTRAINT_PRIMARYKEY") throw thrown;
    throw new HearthError("conflict", `This ${what} exists already.`, { cause: thrown });
  }
}

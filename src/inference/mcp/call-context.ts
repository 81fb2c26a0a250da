/** What the code of a call knows of it, however deep it is in the SDK. */
import { AsyncLocalStorage } from "node:async_hooks";

/**
 * One for all sessions: Node.js before version 24 keeps every storage that was used, also when nothing else refers to it, and each promise
 * takes longer by each of them.
 */
const storage = new AsyncLocalStorage<ReadonlyMap<CallContext<unknown>, unknown>>();

/** A value that the work of a call sees, and no other work at the same time. */
export class CallContext<Value> {
  /** Returns the value of the work that asks; undefined outside of all. */
  get(): Value | undefined {
    // `during` has put it there.
    return storage.getStore()?.get(this) as Value | undefined;
  }

  /** Does the work with this value. */
  during<Result>(value: Value, work: () => Promise<Result>): Promise<Result> {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }
}

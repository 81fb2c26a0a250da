import { createHash } from "node:crypto";
import type { Logger } from "../../../src/core/logger.js";

/** Lines shown of a failed simulation. */
const shownMax = 60;

/** What happened, in order: its hash says whether two simulations went the same way. */
export class Trace {
  readonly #hash = createHash("sha256");
  readonly #last: string[] = [];
  readonly #elapsed: () => number;

  readonly #folder: string;
  readonly #onLine: (line: string) => void;

  /** @param folder of the files, which has another name in each simulation */
  constructor(elapsed: () => number, folder: string, onLine: (line: string) => void = () => undefined) {
    this.#elapsed = elapsed;
    this.#folder = folder;
    this.#onLine = onLine;
  }

  add(what: string): void {
    const line = `${(this.#elapsed() / 1000).toFixed(3)} ${what.replaceAll(this.#folder, "FOLDER")}`;
    this.#hash.update(`${line}\n`);
    this.#onLine(line);
    this.#last.push(line);
    if (this.#last.length > shownMax) this.#last.shift();
  }

  /** Returns a log whose lines are part of the trace while `isWanted`; requests are traced by their clients. */
  logger(isWanted: () => boolean): Logger {
    const add = (level: string) => (_fields: object, message: string) => {
      if (message !== "request" && isWanted()) this.add(`${level}: ${message}`);
    };
    return { info: add("info"), warn: add("warn"), error: add("error") };
  }

  get lastLines(): readonly string[] {
    return this.#last;
  }

  get hash(): string {
    return this.#hash.copy().digest("hex");
  }
}

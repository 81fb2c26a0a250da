import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { seeded } from "../../kit/models/gguf-writer/weights.js";
import { headersOf } from "../../kit/server/requests.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { casesOf } from "../../kit/setup/random-cases.js";
import { startKilled, type Killed } from "./start-killed.js";

const rounds = casesOf(40);
/** Enough for several jobs from being taken to being fetched. */
const stepsMax = 150;

/** A request that was taken, and what its client has seen of it. */
interface Taken {
  readonly id: string;
  readonly question: string;
  /** The texts of its answers, as often as one came. */
  readonly answers: string[];
  failure: string | null;
  /** An attempt to fetch it broke off: whatever was on its way is lost. */
  isCut: boolean;
  isGone: boolean;
}

/** A client that asks, and comes back for its answers until it has them. */
class Client {
  readonly taken: Taken[] = [];
  #asked = 0;

  get open(): readonly Taken[] {
    return this.taken.filter((each) => each.answers.length === 0 && each.failure === null && !each.isGone);
  }

  /** @throws Error when the server dies over it. */
  async ask(url: string): Promise<void> {
    const question = `question-${++this.#asked}`;
    const messages = [{ role: "user", content: question }];
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: headersOf(testKey),
      body: JSON.stringify({ model: builtInModel, messages, deferred: true }),
    });
    const { request_id: id } = (await response.json()) as { request_id: string };
    this.taken.push({ id, question, answers: [], failure: null, isCut: false, isGone: false });
  }

  /** @throws Error when the server dies over it. */
  async fetch(url: string, one: Taken): Promise<void> {
    try {
      const response = await fetch(`${url}/v1/chat/deferred-completion/${one.id}`, {
        headers: headersOf(testKey),
      });
      const text = await response.text();
      if (response.status === 200) one.answers.push(text);
      else if (response.status === 404) one.isGone = true;
      else if (response.status !== 202) one.failure = text;
    } catch (thrown) {
      one.isCut = true;
      throw thrown;
    }
  }

  /** Asks and fetches, several at a time, until the server dies. */
  async goOn({ url, isDead }: Killed): Promise<void> {
    while (url !== null && !isDead())
      await Promise.allSettled([
        this.ask(url),
        this.ask(url),
        ...this.open.map((one) => this.fetch(url, one)),
      ]);
  }
}

describe("F12: deferred completions of a server that is killed with SIGKILL", () => {
  it("many times, at any step, are all made, each charged once and fetched at most once", async () => {
    const data = join(temporaryFolder(), "data");
    const client = new Client();
    const next = seeded(20261121);
    for (let round = 0; round < rounds; round++) {
      const killAt = 1 + Math.floor(next() * stepsMax);
      const server = await startKilled(data, killAt, next() < 0.5 ? "before" : "after");
      await client.goOn(server);
      await server.died;
    }

    const last = await startKilled(data, 0, "after");
    const url = last.url ?? "";
    while (client.open.length > 0) await Promise.all(client.open.map((one) => client.fetch(url, one)));
    const database = new Database(join(data, "hearth.db"), { readonly: true });
    onTestFinished(() => void database.close());
    // Jobs whose client never got its request id are done, too.
    await until(() => database.prepare("select 1 from jobs").all().length === 0);
    last.end();
    await last.died;

    const runsOf = database.prepare<[string], { state: string }>(
      "select state from runs where request_id = ? order by start_time",
    );
    const counted = { fetched: 0, cut: 0, givenUp: 0, interrupted: 0 };
    for (const one of client.taken) {
      const states = runsOf.all(one.id).map(({ state }) => state);
      const completed = states.filter((state) => state === "completed");
      counted.interrupted += states.length - completed.length;
      const [answer] = one.answers;
      expect(new Set(states.filter((state) => state !== "completed"))).toEqual(
        new Set(states.includes("interrupted") ? ["interrupted"] : []),
      );
      if (answer !== undefined) {
        counted.fetched += 1;
        expect(one.answers).toHaveLength(1);
        expect(answer).toContain(`You said ${one.question}.`);
      } else if (one.failure !== null) {
        counted.givenUp += 1;
        expect(one.failure).toContain("The server stopped 3 times while it processed this request");
      } else {
        // Taken from the database, and on its way when the server died.
        counted.cut += 1;
        expect(one.isCut && one.isGone, one.id).toBe(true);
      }
      expect(completed, `${one.id} ${states.join()}`).toHaveLength(one.failure === null ? 1 : 0);
    }
    const repeated = database
      .prepare<[], { n: number }>(
        "select count(*) as n from runs where state = 'completed' group by request_id having n > 1",
      )
      .all();
    expect(repeated).toEqual([]);
    expect(counted.fetched).toBeGreaterThan(rounds);
    expect(counted.interrupted).toBeGreaterThan(rounds / 10);
  }, 180_000);
});

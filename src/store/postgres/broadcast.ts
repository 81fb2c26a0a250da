/**
 * Sends and receives messages by the database's notifications, on a connection of its own, so that the messages of a server arrive in the order
 * in which it has sent them. A message that is longer than a notification is sent in parts.
 */
import pg from "pg";
import type { Broadcast } from "../../core/broadcast.js";
import type { Clock } from "../../core/clock.js";
import type { PostgresAddress } from "./address.js";
import { clientConfig } from "./pool.js";

const channel = "hearth";
const retryMs = 1_000;
/** Between two questions whether the connection lives. */
const watchMs = 5_000;
/** A notification has less than 8,000 bytes; a character at most four. */
const partCharsMax = 1_900;
/** A longer message is not sent. */
const messageCharsMax = 4_194_304;

/** Parts that wait to be sent; when there are more, messages are lost. */
const outboxMax = 20_000;
/** Parts that are sent at once. */
const batchMax = 500;

interface Envelope {
  readonly from: string;
  readonly topic: string;
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

/** Connects, and connects again by itself whenever the connection is lost. @throws what the first attempt throws. */
export async function connectBroadcast(address: PostgresAddress, clock: Clock): Promise<ConnectedBroadcast> {
  const broadcast = new ConnectedBroadcast(address, clock);
  await broadcast.connect();
  return broadcast;
}

export class ConnectedBroadcast implements Broadcast {
  readonly reachesOthers = true;
  readonly #receivers = new Map<string, ((message: unknown) => void)[]>();
  /** The parts that came of a message, by sender. */
  readonly #partial = new Map<string, string[]>();
  #serverId = "";
  #client: pg.Client | null = null;
  /** Notifications that wait for the connection. */
  readonly #outbox: string[] = [];
  #isFlushing = false;
  /** The lost connection for which another one is opened. */
  #retrying: pg.Client | null = null;
  #isClosed = false;
  #stop = (): void => undefined;

  constructor(
    private readonly address: PostgresAddress,
    private readonly clock: Clock,
  ) {}

  get serverId(): string {
    return this.#serverId;
  }

  async connect(): Promise<void> {
    const client = new pg.Client({ ...clientConfig(this.address), query_timeout: watchMs });
    const lost = (): void => {
      if (this.#client === client) this.#client = null;
      client.end().catch(() => undefined);
      this.#retry(client);
    };
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    await client.connect();
    if (this.#serverId === "") this.#serverId = await newId(client);
    await client.query(`listen ${channel}`);
    this.#partial.clear();
    this.#client = client;
    this.#watch(client);
  }

  send(topic: string, message: unknown): void {
    const json = JSON.stringify(message);
    const parts = Math.ceil(json.length / partCharsMax);
    if (this.#client === null || json.length > messageCharsMax) return;
    if (this.#outbox.length + parts > outboxMax) return;
    for (let part = 0; part < parts; part += 1) {
      const text = json.slice(part * partCharsMax, (part + 1) * partCharsMax);
      const envelope: Envelope = { from: this.#serverId, topic, part, parts, text };
      this.#outbox.push(JSON.stringify(envelope));
    }
    void this.#flush();
  }

  /** Sends what waits, as much as possible at once. Never rejects. */
  async #flush(): Promise<void> {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      while (this.#outbox.length > 0) {
        const batch = this.#outbox.splice(0, batchMax);
        await this.#client?.query("select pg_notify($1, text) from unnest(cast($2 as text[])) as text", [
          channel,
          batch,
        ]);
      }
    } catch {
      // The connection is lost, and so are the messages.
      this.#outbox.length = 0;
    } finally {
      this.#isFlushing = false;
    }
  }

  on(topic: string, receive: (message: unknown) => void): void {
    this.#receivers.set(topic, [...(this.#receivers.get(topic) ?? []), receive]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  #receive(payload: string): void {
    const { from, topic, part, parts, text } = JSON.parse(payload) as Envelope;
    if (from === this.#serverId) return;
    const before = part === 0 ? [] : (this.#partial.get(from) ?? []);
    // Some were lost: so is the message.
    if (before.length !== part) return;
    const texts = [...before, text];
    if (texts.length < parts) return void this.#partial.set(from, texts);
    this.#partial.delete(from);
    const message: unknown = JSON.parse(texts.join(""));
    for (const receive of this.#receivers.get(topic) ?? []) receive(message);
  }

  #watch(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#stop = this.clock.after(watchMs, () => {
      // What is sent shows the same.
      const asked = this.#isFlushing ? Promise.resolve() : client.query("select 1");
      asked.then(
        () => this.#watch(client),
        () => client.end().catch(() => undefined),
      );
    });
  }

  #retry(lost: pg.Client): void {
    // A connection that is lost may report it more than once.
    if (this.#isClosed || this.#retrying === lost || this.#client !== null) return;
    this.#retrying = lost;
    this.#stop();
    this.#stop = this.clock.after(retryMs, () => {
      this.#retrying = null;
      this.connect().catch(() => this.#retry(lost));
    });
  }
}

async function newId(client: pg.Client): Promise<string> {
  const text = "select cast(gen_random_uuid() as text) as id";
  return (await client.query<{ readonly id: string }>(text)).rows[0]?.id ?? "";
}

/** The client of commands: requests to the interface of the operator, of the running server or in this process. */
import { request as send, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Operator } from "../app/operator/open.js";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { OperatorKey } from "../http/management/operator/keys.js";
import type { WireMember } from "../http/server/present-member.js";
import type { WireTeam } from "../http/management/teams/present-team.js";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Fields that are undefined or null are left out. */
type Query = Readonly<Record<string, string | number | null | undefined>>;

/** How long a running server may take to begin an answer: it may be suspended, or hang. */
const answerMsMax = 120_000;

/** The commands that list what was not found, by what the message says of it. */
const lists: readonly (readonly [what: string, command: string])[] = [
  ["API key", "keys ls"],
  ["management key", "management-keys ls"],
  ["team", "teams ls"],
  ["member", "members ls"],
  ["access group", "groups ls"],
  ["channel", "alerts channels"],
  ["request", "requests"],
];

/** Adds the command that lists what there is to the message of an answer that something was not found. */
function nameList(message: string): string {
  const [, command] = lists.find(([what]) => message.startsWith(`Cannot find ${what}`)) ?? [];
  return command === undefined ? message : `${message.replace(/\.$/, "")}. \`hearth ${command}\` lists them.`;
}

export class OperatorClient {
  readonly #connection: Operator["connection"];
  readonly #clock: Clock;
  readonly #prepareChange: Operator["prepareChange"];
  readonly #parse: (json: string) => unknown;

  /** @param parse reads answers; by default times are shortened to milliseconds */
  constructor(
    { connection, clock, prepareChange }: Omit<Operator, "close">,
    parse: (json: string) => unknown = parseShortTimes,
  ) {
    this.#connection = connection;
    this.#clock = clock;
    this.#prepareChange = prepareChange;
    this.#parse = parse;
  }

  /** Sends a request and returns the JSON of the answer. @throws HearthError with the message of an answer that is an error. */
  async request<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
    const ask = async (): Promise<string> => text(await this.open(method, path, body));
    if (method !== "GET") await this.#prepareChange?.(ask);
    return this.#parse(await ask()) as Answer;
  }

  /** Sends a question that is too long for a URL; it changes nothing. */
  async query<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.#parse(await text(await this.open("POST", path, body))) as Answer;
  }

  get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return this.request("GET", withQuery(path, query));
  }

  /** Returns the items of all pages of a list. */
  async list<Item>(path: string, field: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let token: string | undefined; ;) {
      const page: Page<Item> = await this.get(path, { paginationToken: token });
      items.push(...((page[field] as readonly Item[] | undefined) ?? []));
      token = page.paginationToken;
      if (token === undefined) return items;
    }
  }

  findKey(reference: string): Promise<OperatorKey> {
    return this.get("/operator/find", { key: reference });
  }

  findTeam(reference: string): Promise<WireTeam> {
    return this.get("/operator/find", { team: reference });
  }

  findMember(reference: string): Promise<WireMember> {
    return this.get("/operator/find", { member: reference });
  }

  /** Sends a request and returns the stream of the answer. @throws HearthError as `request` does. */
  async open(method: Method, path: string, body?: unknown): Promise<IncomingMessage> {
    const answer = await this.#send(method, path, body);
    const status = answer.statusCode ?? 0;
    if (status < 400) return answer;
    const { message } = JSON.parse(await text(answer)) as { readonly message?: string };
    throw new HearthError(
      errorKinds[status] ?? "internal",
      message === undefined ? `the server answered with status ${status}` : nameList(message),
    );
  }

  #send(method: Method, path: string, body: unknown): Promise<IncomingMessage> {
    const written = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const headers = {
      connection: "close",
      ...(written !== null && { "content-type": "application/json", "content-length": written.length }),
    };
    return new Promise((resolve, reject) => {
      const request = send({ ...this.#connection, method, path, headers });
      const seconds = answerMsMax / 1000;
      const late = new Error(`the running server has not answered within ${seconds} seconds`);
      // What this process answers takes as long as it takes.
      const isElsewhere = this.#connection.socketPath !== undefined;
      const stopTimer = isElsewhere
        ? this.#clock.after(answerMsMax, () => request.destroy(late))
        : () => undefined;
      request.once("error", (thrown) => {
        stopTimer();
        reject(thrown === late ? late : cutOff(thrown));
      });
      request.once("response", (answer) => {
        stopTimer();
        resolve(answer);
      });
      request.end(written ?? undefined);
    });
  }
}

/** The error of a command whose server has ended: what it asked for may have been done. */
function cutOff(cause: Error): Error {
  return new Error(
    "the running server ended before it answered: look whether the change was made, and repeat the command",
    { cause },
  );
}

interface Page<Item> {
  readonly paginationToken?: string;
  readonly [field: string]: readonly Item[] | string | undefined;
}

/** What commands tell apart: wrong values are wrong usage. */
const errorKinds: Readonly<Record<number, HearthError["kind"]>> = {
  400: "invalid_value",
  403: "permission_denied",
  404: "not_found",
  409: "conflict",
};

/** Returns a path with a query. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

/** Parses an answer. The API has times with microseconds, commands about accounts print milliseconds. */
function parseShortTimes(json: string): unknown {
  return JSON.parse(json, (name, value: unknown) =>
    name.endsWith("Time") && typeof value === "string" ? value.replace(/(\.\d{3})000Z$/, "$1Z") : value,
  );
}

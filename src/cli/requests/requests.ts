/** `hearth requests`: lists the requests of a running server, those in progress included, and cancels them. */
import { requestStatuses } from "../../core/run-state.js";
import { Option, type Command } from "commander";
import { resolveReference } from "../../core/resolve-reference.js";
import type { Operator } from "../../app/operator/open.js";
import type { Clock } from "../../core/clock.js";
import { forEachReference, operatorOpener, timeAgoArgument, type UsingOperator } from "../command-helpers.js";
import { ago } from "../duration.js";
import { withListOptions } from "../batches/commands.js";
import type { WireRequest, WireRequestDetails } from "../../http/management/requests/requests.js";
import type { OperatorClient } from "../operator.js";
import { printListing, type ListingOptions, type Printed } from "../listing.js";
import { formatJson, type TableColumn } from "../table.js";

interface Io extends Printed {
  readonly using: UsingOperator;
  readonly clock: Clock;
}

interface Options extends ListingOptions {
  readonly team?: string;
  readonly key?: string;
  readonly model?: string;
  readonly status?: string;
  readonly query?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
}

interface Page {
  readonly requests: readonly WireRequest[];
  readonly paginationToken?: string;
}

/** Fields of the query; those that are undefined are left out. */
type Filter = Readonly<Record<string, string | undefined>>;

const path = "/admin/requests";
const pageMax = 1000;
/** A whole ID, which is a UUID. */
const idChars = 36;

/** Adds `requests` and its subcommands. @param open opens the interface of the running server; it fails if none is running */
export function addRequestsCommand(
  program: Command,
  open: () => Promise<Operator>,
  { clock, out, err }: Omit<Io, "using">,
): void {
  const io = { using: operatorOpener(open, JSON.parse), clock, out, err };
  const requests = program
    .command("requests")
    .description("list the requests of the running server, also those in progress, and cancel them");
  addListCommand(requests, io);
  addShowCommands(requests, io);
  requests
    .command("cancel")
    .description("end requests in progress; what was generated is charged")
    .argument("<id...>", "IDs or their beginnings, as `hearth requests` shows them")
    .option("--json", "print one JSON array")
    .action(async (ids: readonly string[], { json }: { json?: true }) => {
      const ended: WireRequest[] = [];
      try {
        await io.using((api) =>
          forEachReference(ids, async (id) => {
            ended.push(await api.request<WireRequest>("POST", `${await toPath(api, id)}/cancel`));
          }),
        );
      } finally {
        if (json === true) out.write(formatJson(ended));
        else for (const { id } of ended) out.write(`cancelled ${id}\n`);
      }
    });
}

/** Adds `requests show` and `requests forget`. */
function addShowCommands(requests: Command, { using, out }: Io): void {
  requests
    .command("show")
    .description("show a request, with what it and its answer had if its team keeps that")
    .argument("<id>", "ID or its beginning, as `hearth requests` shows it")
    .option("--json", "print one JSON object")
    .action(async (id: string, { json }: { json?: true }) => {
      const { detailsText } = await import("./details-text.js");
      const found = await using(async (api) => api.get<WireRequestDetails>(await toPath(api, id)));
      out.write(json === true ? formatJson(found) : detailsText(found));
    });
  requests
    .command("forget")
    .description("delete what was kept of requests and their answers; the requests stay in the list")
    .argument("<id...>", "IDs or their beginnings, as `hearth requests` shows them")
    .action((ids: readonly string[]) =>
      using((api) =>
        forEachReference(ids, async (id) => {
          await api.request("DELETE", `${await toPath(api, id)}/bodies`);
          out.write(`deleted what was kept of ${id}\n`);
        }),
      ),
    );
}

function addListCommand(requests: Command, { using, clock, ...io }: Io): void {
  const since = timeAgoArgument(clock);
  withListOptions(requests.command("ls", { isDefault: true }).alias("list"), "requests")
    .description("list requests, the newest first")
    .option("--team <team>", "only this team, by ID or name")
    .option("--key <key>", "only this API key, by ID, its beginning, or the redacted key")
    .option("--model <model>", "only this model")
    .addOption(new Option("--status <state>", "only in this state").choices(requestStatuses))
    .option("--query <text>", "only with this text in the ID, model, route, key, error, tag or end user")
    .option("--since <time>", "accepted since, such as 2h (ago) or 2027-01-31T12:00:00Z", since)
    .option("--until <time>", "accepted before, in the same forms", since)
    .action(async (options: Options) => {
      const found = await using(async (api) =>
        listRequests(api, await readFilter(options, api), options.limit),
      );
      printListing(io, options, {
        items: found,
        columns: listColumns(clock.now()),
        empty: 'No requests. Send one: hearth run MODEL "Hello"',
      });
    });
}

/** Returns the newest requests that match. */
async function listRequests(
  api: OperatorClient,
  filter: Filter,
  limit: number,
): Promise<readonly WireRequest[]> {
  const found: WireRequest[] = [];
  for (let token: string | undefined = ""; token !== undefined && found.length < limit;) {
    const size = { pageSize: Math.min(pageMax, limit - found.length), paginationToken: token };
    const page: Page = await api.get(path, { ...filter, ...size });
    found.push(...page.requests);
    token = page.paginationToken;
  }
  return found;
}

/** Returns the path of the request that an ID, its beginning, or an `x-request-id` names. */
async function toPath(api: OperatorClient, reference: string): Promise<string> {
  return `${path}/${encodeURIComponent(await findId(api, reference))}`;
}

async function findId(api: OperatorClient, reference: string): Promise<string> {
  if (reference.length >= idChars) return reference;
  const { requests } = await api.get<Page>(path, { query: reference, pageSize: pageMax });
  const isNamed = ({ requestId }: WireRequest): boolean => requestId === reference;
  return resolveReference("request", reference, requests, isNamed, ({ model, createTime }) => {
    return `${model}, ${createTime}`;
  }).id;
}

async function readFilter(options: Options, api: OperatorClient): Promise<Filter> {
  const { team, key, model, status, query, since, until } = options;
  const time = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  return {
    teamId: team === undefined ? undefined : (await api.findTeam(team)).teamId,
    apiKeyId: key === undefined ? undefined : (await api.findKey(key)).apiKeyId,
    model,
    status,
    query,
    since: time(since),
    until: time(until),
  };
}

function listColumns(now: number): readonly TableColumn<WireRequest>[] {
  return [
    { title: "ID", cell: ({ id }) => id, kind: "id" },
    { title: "STATUS", cell: ({ status }) => status },
    { title: "KEY", cell: ({ apiKeyName, apiKeyId }) => apiKeyName ?? apiKeyId, charsMin: 8, leftOut: 5 },
    { title: "MODEL", cell: ({ model }) => model, charsMin: 12 },
    { title: "ROUTE", cell: ({ endpoint }) => endpoint, charsMin: 12, leftOut: 1 },
    { title: "PROMPT", cell: ({ promptTokens }) => String(promptTokens), kind: "number", leftOut: 4 },
    {
      title: "ANSWER",
      cell: ({ completionTokens, reasoningTokens }) => String(completionTokens + reasoningTokens),
      kind: "number",
      leftOut: 6,
    },
    {
      title: "FIRST",
      cell: ({ createTime, firstTokenTime }) => elapsed(createTime, firstTokenTime),
      kind: "number",
      leftOut: 2,
    },
    { title: "TOOK", cell: ({ createTime, endTime }) => elapsed(createTime, endTime), kind: "number" },
    { title: "COST USD", cell: ({ costUsd }) => costUsd, kind: "number", leftOut: 3 },
    { title: "ACCEPTED", cell: ({ createTime }) => ago(now - Date.parse(createTime)) },
  ];
}
/** Formats the time between two times in seconds; `-` while the later one has not come. */
function elapsed(from: string, to: string | undefined): string {
  return to === undefined ? "-" : `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(2)} s`;
}

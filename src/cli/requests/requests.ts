/** `hearth requests`: lists the requests of a running server, those in progress included, and cancels them. */
import { requestStatuses } from "../../core/run-state.js";
import { Option, type Command } from "commander";
import type { Operator } from "../../app/operator/open.js";
import type { Clock } from "../../core/clock.js";
import { forEachReference, operatorOpener, timeAgoArgument, type UsingOperator } from "../command-helpers.js";
import { ago } from "../duration.js";
import { withListOptions } from "../batches/commands.js";
import type { WireRequest, WireRequestDetails } from "../../http/management/requests/requests.js";
import type { OperatorClient } from "../operator.js";
import { formatJson, formatTable } from "../table.js";

interface Io {
  readonly using: UsingOperator;
  readonly clock: Clock;
  readonly out: { write(text: string): unknown };
}

interface Options {
  readonly team?: string;
  readonly key?: string;
  readonly model?: string;
  readonly status?: string;
  readonly query?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly json?: true;
}

interface Page {
  readonly requests: readonly WireRequest[];
  readonly paginationToken?: string;
}

/** Fields of the query; those that are undefined are left out. */
type Filter = Readonly<Record<string, string | undefined>>;

const path = "/admin/requests";
const pageMax = 1000;

/** Adds `requests` and its subcommands. @param open opens the interface of the running server; it fails if none is running */
export function addRequestsCommand(
  program: Command,
  open: () => Promise<Operator>,
  { clock, out }: Omit<Io, "using">,
): void {
  const io = { using: operatorOpener(open, JSON.parse), clock, out };
  const requests = program
    .command("requests")
    .description("list the requests of the running server, also those in progress, and cancel them");
  addListCommand(requests, io);
  addShowCommands(requests, io);
  requests
    .command("cancel")
    .description("end requests in progress; what was generated is charged")
    .argument("<id...>", "IDs as `hearth requests` shows them")
    .option("--json", "print one JSON array")
    .action(async (ids: readonly string[], { json }: { json?: true }) => {
      const ended: WireRequest[] = [];
      try {
        await io.using((api) =>
          forEachReference(ids, async (id) => {
            ended.push(await api.request<WireRequest>("POST", `${toPath(id)}/cancel`));
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
    .argument("<id>", "ID as `hearth requests` shows it")
    .option("--json", "print one JSON object")
    .action(async (id: string, { json }: { json?: true }) => {
      const { detailsText } = await import("./details-text.js");
      const found = await using((api) => api.get<WireRequestDetails>(toPath(id)));
      out.write(json === true ? formatJson(found) : detailsText(found));
    });
  requests
    .command("forget")
    .description("delete what was kept of requests and their answers; the requests stay in the list")
    .argument("<id...>", "IDs as `hearth requests` shows them")
    .action((ids: readonly string[]) =>
      using((api) =>
        forEachReference(ids, async (id) => {
          await api.request("DELETE", `${toPath(id)}/bodies`);
          out.write(`${id}\n`);
        }),
      ),
    );
}

function addListCommand(requests: Command, { using, clock, out }: Io): void {
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
      out.write(options.json === true ? formatJson(found) : toTable(found, clock.now()));
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

function toPath(id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
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

function toTable(requests: readonly WireRequest[], now: number): string {
  const header = [
    ...["ID", "STATUS", "KEY", "MODEL", "ROUTE", "PROMPT", "ANSWER"],
    ...["FIRST", "TOOK", "COST USD", "ACCEPTED"],
  ];
  const rows = requests.map((request) => [
    request.id,
    request.status,
    request.apiKeyName ?? request.apiKeyId,
    request.model,
    request.endpoint,
    String(request.promptTokens),
    String(request.completionTokens + request.reasoningTokens),
    elapsed(request.createTime, request.firstTokenTime),
    elapsed(request.createTime, request.endTime),
    request.costUsd,
    ago(now - Date.parse(request.createTime)),
  ]);
  return formatTable(header, rows);
}

/** Formats the time between two times in seconds; `-` while the later one has not come. */
function elapsed(from: string, to: string | undefined): string {
  return to === undefined ? "-" : `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(2)} s`;
}

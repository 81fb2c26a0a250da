import { expect, it } from "vitest";
import { createRequestStore, type RequestStore } from "../../../src/inference/requests/store.js";
import { databaseWithQueryPlans } from "../../store/query-plan.js";

const run = "run by sqlite_autoindex_runs_1 (id=?)";
const nameOfKey = "api_keys by sqlite_autoindex_api_keys_1 (id=?)";
/** The search for the labels of the runs that an index returns, in its order. */
const labels = ["SEARCH run_labels USING PRIMARY KEY (run_id=?)", "SCAN json_each VIRTUAL TABLE INDEX 1:"];
/** The name of a key that was deleted. */
const known = "SEARCH removed_keys USING PRIMARY KEY (id=?)";
const scan = ["SCAN run", nameOfKey, known];
const query = {
  ...{ teamId: null, apiKeyId: null, userId: null, model: null, status: null, since: null, until: null },
  ...{ text: null, after: null, limit: 2 },
};
const after = { createTime: 1, id: "a" };

type Ask = (requests: RequestStore) => Promise<unknown>;

/** The query plan of each method. No step sorts, or reads more runs than the page looks at. */
const methods: Readonly<Record<string, readonly [ask: Ask, steps: readonly string[]]>> = {
  "page of all requests": [
    (requests) => requests.page(query),
    ["SCAN runs USING INDEX runs_by_creation", ...scan],
  ],
  "page of a team": [
    (requests) => requests.page({ ...query, teamId: "a", after }),
    ["runs by runs_of_team (team_id=? AND (create_time,id)<(?,?))", ...scan],
  ],
  "page of a key": [
    (requests) => requests.page({ ...query, apiKeyId: "a", since: 1, until: 2 }),
    ["runs by runs_of_key (api_key_id=? AND create_time>? AND create_time<?)", ...scan],
  ],
  "F24: a further page before a time": [
    (requests) => requests.page({ ...query, teamId: "a", until: 2, after }),
    ["runs by runs_of_team (team_id=? AND (create_time,id)<(?,?))", ...scan],
  ],
  "page of a state": [
    (requests) => requests.page({ ...query, teamId: "a", status: "failed" }),
    ["runs by runs_of_team (team_id=?)", ...scan, "runs by runs_of_team (team_id=?)"],
  ],
  "page of a text": [
    (requests) => requests.page({ ...query, teamId: "a", text: "b" }),
    [
      "runs by runs_of_team (team_id=?)",
      ...scan,
      ...labels,
      nameOfKey,
      known,
      "runs by runs_of_team (team_id=?)",
    ],
  ],
  find: [(requests) => requests.find("a"), [run, nameOfKey, known]],
  deleteBefore: [
    (requests) => requests.deleteBefore(1, 2),
    [run.replace("run", "runs"), "runs by runs_by_creation (create_time<?)"],
  ],
};

it.each(Object.entries(methods))("requests: %s reads from an index", async (_, [call, expected]) => {
  const { database, steps } = await databaseWithQueryPlans();
  await call(createRequestStore(database));
  expect(steps).toEqual(expected);
});

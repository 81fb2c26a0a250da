import { aKey } from "../kit/a-key.js";
import { expect, it } from "vitest";
import type { Write, Writes } from "../../src/store/writes.js";
import { createApiKeyStore } from "../../src/accounts/keys/store.js";
import { createAuditStore } from "../../src/accounts/audit/store.js";
import type { Database } from "../../src/store/database.js";
import { createDeferredStore } from "../../src/jobs/deferred/store.js";
import { systemRandom } from "../../src/system/clock.js";
import { createImageStore } from "../../src/inference/images/store.js";
import { createJobStore } from "../../src/jobs/store.js";
import { createKeyUseStore } from "../../src/accounts/authentication/store.js";
import { createManagementKeyStore } from "../../src/accounts/management-keys/store.js";
import { createMemberStore } from "../../src/accounts/members/store.js";
import { createRunLabelStore } from "../../src/inference/run/store/run-labels.js";
import { createCompletionStore } from "../../src/inference/completions/store.js";
import { createConversationStore } from "../../src/inference/conversations/store.js";
import { createResponseStore } from "../../src/inference/responses/store/responses.js";
import { createTeamLimitStore } from "../../src/accounts/limits/store.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createWrites } from "../../src/store/writes.js";
import { aMember, anEnding, aTeam, someItems } from "./records.js";
import { databaseWithQueryPlans } from "./query-plan.js";

function storesOf(database: Database) {
  return {
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
    completions: createCompletionStore(database),
    runLabels: createRunLabelStore(database),
    conversations: createConversationStore(database),
    keys: createApiKeyStore(database),
    managementKeys: createManagementKeyStore(database),
    keyUses: createKeyUseStore(database),
    members: createMemberStore(database),
    audit: createAuditStore(database),
    teams: createTeamStore(database),
    teamLimits: createTeamLimitStore(database),
    images: createImageStore(database, { folder: "/nowhere", bytesMax: 9, random: systemRandom }),
    writes: createWrites(database),
  };
}

type Ask = (stores: ReturnType<typeof storesOf>) => Promise<unknown>;

/** By primary key. */
const [job, deferred, response, events] = [
  "jobs by sqlite_autoindex_jobs_1 (id=?)",
  "deferred_completions by sqlite_autoindex_deferred_completions_1 (id=?)",
  "responses by sqlite_autoindex_responses_1 (id=?)",
  "response_events by sqlite_autoindex_response_events_1 (response_id=?)",
];
const items = "response_items by sqlite_autoindex_response_items_1 (response_id=?)";
const completion = "chat_completions by sqlite_autoindex_chat_completions_1 (id=?)";
const firstCompletions = { limit: 2, order: "asc", after: null, model: null, metadata: {} } as const;
const conversation = "conversations by sqlite_autoindex_conversations_1 (id=?)";
const aConversation = { id: "a", teamId: "team-1", createTime: 1, metadata: "{}" };
const ending = anEnding({ output: someItems("a"), events: new Uint8Array(1) });

/** By the hash of its secret. */
const key = "api_keys by sqlite_autoindex_api_keys_2 (hash=?)";
const team = "teams by sqlite_autoindex_teams_1 (id=?)";
const member = "members by sqlite_autoindex_members_1 (id=?)";
const ofTeam = (bounds: string) => `members by members_by_team (${bounds})`;
const keyPages = { after: { createTime: 1, id: "a" }, acls: ["b"], text: "a", unexpiredAt: 1, limit: 2 };
const pages = { after: { time: 1, entry: 2 }, from: 1, to: 2, limit: 3 };

/** Commits a write that finds no row to change. */
const expectConflict = (writes: Writes, write: Write) => rejected(writes.commit([write]));

/** Expects the conflict of writes that find no row to change. */
const rejected = (commit: Promise<void>) => expect(commit).rejects.toMatchObject({ kind: "conflict" });

/** The query plan of each method. Steps that start with SCAN or USE read more than one row. */
const methods: Readonly<Record<string, readonly [ask: Ask, steps: readonly string[]]>> = {
  "jobs.claim": [
    ({ jobs }) => jobs.claim("deferred-completion", 1, 2),
    [job, "jobs by jobs_by_age (kind=?)"],
  ],
  "jobs.claimById": [({ jobs }) => jobs.claimById("a", 1, 2), [job]],
  "jobs.attempted": [({ jobs }) => jobs.attempted(1, 1), ["jobs by jobs_attempted (attempts>?)"]],
  "jobs.renew": [({ jobs }) => jobs.renew(["a"], 1), [job, "SCAN json_each VIRTUAL TABLE INDEX 1:"]],
  "jobs.release": [({ jobs }) => jobs.release("a"), [job]],
  "jobs.releaseAll": [
    ({ jobs }) => jobs.releaseAll("background-response"),
    ["jobs by jobs_held (kind=? AND lease_until>?)"],
  ],
  "jobs.removal": [({ jobs, writes }) => writes.commit([jobs.removal("a")]), [job]],
  "jobs.find": [({ jobs }) => jobs.find("a"), [job]],
  "jobs.count": [({ jobs }) => jobs.count("deferred-completion"), ["jobs by jobs_by_age (kind=?)"]],
  "deferred.ending": [
    (stores) => stores.writes.commit([stores.deferred.ending("a", { state: "done", answer: "" }, 1)]),
    [deferred],
  ],
  "deferred.take": [(stores) => stores.deferred.take("a", "team-1", 1), [deferred, deferred]],
  "deferred.deleteExpired": [
    (stores) => stores.deferred.deleteExpired(1, 2),
    [deferred, "deferred_completions by deferred_completions_by_expiry (expire_time<?)"],
  ],
  "responses.ending": [
    ({ responses, writes }) => writes.commit(responses.ending("a", ending)),
    [response, response, response],
  ],
  "responses.begin": [({ responses }) => responses.markStarted("a", "{}"), [response]],
  "responses.find": [({ responses }) => responses.find("a", "team-1"), [response]],
  "responses.events": [({ responses }) => responses.events("a", "team-1"), [events, response]],
  "responses.input": [
    ({ responses }) => responses.input("a", "team-1"),
    [response, "item by sqlite_autoindex_response_items_1 (response_id=? AND side=?)"],
  ],
  "responses.chain": [
    ({ responses }) => responses.chain("a", "team-1", 3),
    [
      response,
      "SCAN walk",
      "before by sqlite_autoindex_responses_1 (id=?)",
      "SCAN walk",
      "item by sqlite_autoindex_response_items_1 (response_id=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  "responses.items": [
    ({ responses }) => responses.items(["a"], "team-1"),
    ["SCAN json_each VIRTUAL TABLE INDEX 1:", "item by response_items_by_id (team_id=? AND id=?)"],
  ],
  "responses.delete": [({ responses }) => responses.delete("a", "team-1"), [response, events, items]],
  "responses.deleteExpired": [
    ({ responses }) => responses.deleteExpired(1, 2),
    [response, "responses by responses_ended (expire_time<?)", events, items],
  ],
  "runLabels.find": [
    ({ runLabels }) => runLabels.find("a"),
    ["SEARCH run_labels USING PRIMARY KEY (run_id=?)"],
  ],
  "runLabels.deleteExpired": [
    ({ runLabels }) => runLabels.deleteExpired(1, 2),
    ["SEARCH run_labels USING PRIMARY KEY (run_id=?)", "run_labels by run_labels_by_expiry (expire_time<?)"],
  ],
  "completions.find": [({ completions }) => completions.find("a", "team-1"), [completion]],
  "completions.page": [
    ({ completions }) => completions.page("team-1", { ...firstCompletions, metadata: { a: "b" } }),
    ["chat_completions by chat_completions_by_team (team_id=?)", "SCAN pair EXISTS VIRTUAL TABLE INDEX 1:"],
  ],
  "completions.page of a model": [
    ({ completions }) => completions.page("team-1", { ...firstCompletions, model: "small" }),
    ["chat_completions by chat_completions_by_model (team_id=? AND model=?)"],
  ],
  "completions.deleteExpired": [
    ({ completions }) => completions.deleteExpired(1, 2),
    [
      "SEARCH chat_completions USING INTEGER PRIMARY KEY (rowid=?)",
      "chat_completions by chat_completions_by_expiry (expire_time<?)",
    ],
  ],
  "conversations.insertion": [
    ({ conversations, writes }) => rejected(writes.commit(conversations.insertion(aConversation, [], 2))),
    [
      team,
      "conversations by conversations_by_team (team_id=?)",
      "conversation_items by conversation_items_by_age (conversation_id=?)",
    ],
  ],
  "conversations.addition": [
    ({ conversations, writes }) =>
      rejected(writes.commit(conversations.addition("a", "team-1", [], { itemsMax: 1, bytesMax: 2 }))),
    [conversation, "conversation_items by conversation_items_by_age (conversation_id=?)"],
  ],
  "conversations.extension": [
    ({ conversations, writes }) => writes.commit(conversations.extension("a", someItems("b"))),
    [conversation],
  ],
  "conversations.removal": [
    ({ conversations, writes }) => rejected(writes.commit([conversations.removal("a", "team-1")])),
    [conversation, "conversation_items by conversation_items_by_age (conversation_id=?)"],
  ],
  "conversations.find": [({ conversations }) => conversations.find("a", "team-1"), [conversation]],
  "conversations.hasUnfinishedResponse": [
    ({ conversations }) => conversations.hasUnfinishedResponse("a"),
    ["responses by responses_of_conversations (conversation_id=?)"],
  ],
  "conversations.items.all": [
    ({ conversations }) => conversations.items.all("a"),
    ["conversation_items by conversation_items_by_age (conversation_id=?)"],
  ],
  "conversations.items.page": [
    ({ conversations }) => conversations.items.page("a", { limit: 2, order: "desc", after: null }),
    ["conversation_items by conversation_items_by_age (conversation_id=?)"],
  ],
  "conversations.items.size": [
    ({ conversations }) => conversations.items.size("a"),
    ["conversation_items by conversation_items_by_age (conversation_id=?)"],
  ],
  "keys.findByHash": [
    ({ keys }) => keys.findByHash(new Uint8Array(32)),
    [
      "MULTI-INDEX OR",
      "INDEX 1",
      "api_keys by sqlite_autoindex_api_keys_2 (hash=?)",
      "INDEX 2",
      "api_keys by api_keys_by_previous_hash (previous_hash=?)",
      "teams by sqlite_autoindex_teams_1 (id=?)",
      "owned by budgets_by_team (team_id=?)",
      "SEARCH owned USING PRIMARY KEY (team_id=?)",
      // At most 21 limits of the team.
      "SCAN found",
      "SEARCH owned USING PRIMARY KEY (team_id=?)",
      "SEARCH balance USING PRIMARY KEY (team_id=? AND account=?)",
    ],
  ],
  "keys.page": [
    ({ keys }) => keys.page({ teamId: "a", userId: "b", ...keyPages }),
    [
      "api_keys by api_keys_by_team (team_id=? AND (create_time,id)>(?,?))",
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
    ],
  ],
  "keys.replacement": [({ keys, writes }) => expectConflict(writes, keys.replacement(aKey(), aKey())), [key]],
  "keys.removal": [({ keys, writes }) => expectConflict(writes, keys.removal(aKey())), [key]],
  "teams.replacement": [
    ({ teams, writes }) => expectConflict(writes, teams.replacement(aTeam(), aTeam())),
    [team, "other by teams_by_name (name_folded=?)"],
  ],
  "managementKeys.findByHash": [
    ({ managementKeys }) => managementKeys.findByHash(new Uint8Array(32)),
    [
      "management_keys by sqlite_autoindex_management_keys_2 (hash=?)",
      "teams by sqlite_autoindex_teams_1 (id=?)",
      "members by sqlite_autoindex_members_1 (id=?)",
    ],
  ],
  "keyUses.write": [
    ({ keyUses }) => keyUses.write(new Map([["a", 1]])),
    [
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
      "api_keys by sqlite_autoindex_api_keys_1 (id=?)",
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
      "management_keys by sqlite_autoindex_management_keys_1 (id=?)",
    ],
  ],
  "members.find": [({ members }) => members.find("a"), [member]],
  "members.findByEmail": [
    ({ members }) => members.findByEmail("a"),
    ["members by members_by_email (email_folded=?)"],
  ],
  "members.known": [
    ({ members }) => members.findEver(["a", "b"]),
    [member, "SCAN json_each VIRTUAL TABLE INDEX 1:"],
  ],
  "members.countOwners": [({ members }) => members.countOwners(null), [ofTeam("team_id=?")]],
  "members.page": [
    ({ members }) => members.page({ teamId: "a", after: { createTime: 1, id: "a" }, limit: 2 }),
    [ofTeam("team_id=? AND (create_time,id)>(?,?)")],
  ],
  "members.replacement": [
    ({ members, writes }) =>
      expectConflict(writes, members.replacement(aMember(), aMember({ role: "admin" }))),
    [member, "other by members_by_team (team_id=?)", "other by members_by_email (email_folded=?)"],
  ],
  "members.removal": [
    ({ members, writes }) => expectConflict(writes, members.removal(aMember(), 1)),
    [member, "other by members_by_team (team_id=?)"],
  ],
  "teamLimits.findFor": [
    ({ teamLimits }) => teamLimits.findFor("a", "b"),
    ["SEARCH team_limits USING PRIMARY KEY (team_id=? AND model=?)"],
  ],
  "teamLimits.list": [
    ({ teamLimits }) => teamLimits.list("a"),
    ["SEARCH team_limits USING PRIMARY KEY (team_id=?)", "USE TEMP B-TREE FOR ORDER BY"],
  ],
  "audit.page": [
    ({ audit }) => audit.page({ ...pages, teamId: "a", order: "ascending" }),
    ["audit_events by audit_events_by_team (team_id=? AND time>? AND time<?)"],
  ],
  "audit.page of all teams": [
    ({ audit }) => audit.page({ ...pages, teamId: null, order: "descending" }),
    ["audit_events by audit_events_by_time (time>? AND time<?)"],
  ],
  "images.find": [
    ({ images }) => images.find(`${"a".repeat(32)}.png`, 1),
    ["SEARCH kept_images USING PRIMARY KEY (name=?)"],
  ],
  "images.deleteExpired": [
    ({ images }) => images.deleteExpired(1, 2),
    ["kept_images by kept_images_by_expiry (expire_time<?)"],
  ],
  "images.room": [({ images }) => images.reserve("run-1", 1), ["SCAN kept_images"]],
  "responses.count": [
    ({ responses }) => responses.count(),
    ["SCAN responses USING COVERING INDEX sqlite_autoindex_responses_1"],
  ],
};

it.each(Object.entries(methods))("%s reads from an index", async (_, [call, expected]) => {
  const { database, steps } = await databaseWithQueryPlans();
  await call(storesOf(database));
  expect(steps).toEqual(expected);
});

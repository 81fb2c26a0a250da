import { expect, it } from "vitest";
import { storedKinds, type StoredQuery } from "../../../src/jobs/stored/stored-object.js";
import { createStoredObjectStore } from "../../../src/jobs/stored/store.js";
import { databaseWithQueryPlans } from "../../store/query-plan.js";

const indexes = {
  "deferred-completions": "deferred_completions_by_team",
  responses: "responses_by_team",
  "chat-completions": "chat_completions_by_team",
  batches: "batches_by_team",
  files: "files_by_team",
} as const;

/** No step sorts: what an index returns, in its order, is joined by its key. */
it.each(storedKinds)("stored objects: a page of %s reads from the index of the team", async (kind) => {
  const { database, steps } = await databaseWithQueryPlans();
  const store = createStoredObjectStore(database);
  const query: StoredQuery = {
    ...{ kind, teamId: "a", userId: null, state: null, background: null, text: null },
    ...{ after: null, limit: 2 },
  };
  for (const asked of [
    query,
    { ...query, after: { place: 1, id: "a" } },
    { ...query, userId: "a", text: "b" },
  ]) {
    const before = steps.length;
    await store.page(asked, 1);
    const plan = steps.slice(before).join("\n");
    expect(plan).toContain(`item by ${indexes[kind]} (team_id=?`);
    expect(plan).not.toContain("TEMP B-TREE");
    expect(plan).toContain("SCAN scanned");
  }
  const before = steps.length;
  await store.find(kind, "a", 1);
  expect(steps.slice(before).join("\n")).toMatch(/^item by sqlite_autoindex_\w+ \(id=\?\)/);
});

/** The part of the composition root that builds the stores over the database. */
import type { Config } from "../../config/config.js";
import type { Random } from "../../core/random.js";
import { createFileStore } from "../../inference/files/store.js";
import { createImageStore } from "../../inference/images/store.js";
import { createConversationStore } from "../../inference/conversations/store.js";
import { createCompletionStore } from "../../inference/completions/store.js";
import { createResponseStore } from "../../inference/responses/store/responses.js";
import { createRequestBodyStore } from "../../inference/bodies/store.js";
import { createRequestStore } from "../../inference/requests/store.js";
import { createRunLabelStore } from "../../inference/run/store/run-labels.js";
import { createRunStore } from "../../inference/run/store/runs.js";
import { createAlertStore } from "../../jobs/alerts/store/alerts.js";
import { createChannelStore } from "../../jobs/alerts/store/channels.js";
import { createDeliveryStore } from "../../jobs/alerts/store/deliveries.js";
import { createBatchStore } from "../../jobs/batches/store/batches.js";
import { createBatchLineStore } from "../../jobs/batches/store/lines.js";
import { createDeferredStore } from "../../jobs/deferred/store.js";
import { createPullStore } from "../../jobs/pulls/store.js";
import { createMcpApprovalStore } from "../../answers/mcp/store.js";
import { createStoredObjectStore } from "../../jobs/stored/store.js";
import { createJobStore } from "../../jobs/store.js";
import type { Database } from "../../store/database.js";
import { buildAccountStores } from "../accounts.js";
import { imagesFolder } from "../../store/data-folder.js";

export type Stores = ReturnType<typeof buildStores>;

const dayMs = 24 * 60 * 60 * 1000;

export function buildStores(config: Config, database: Database, random: Random) {
  const runLabels = createRunLabelStore(database, config.runLabelsKeptDays * dayMs);
  return {
    ...buildAccountStores(database),
    broadcast: database.broadcast,
    nodes: database.nodes,
    runs: createRunStore(database, runLabels),
    runLabels,
    requests: createRequestStore(database),
    bodyStore: createRequestBodyStore(database),
    jobs: createJobStore(database),
    deferred: createDeferredStore(database),
    responses: createResponseStore(database),
    completions: createCompletionStore(database),
    conversations: createConversationStore(database),
    files: createFileStore(database),
    batches: createBatchStore(database),
    batchLines: createBatchLineStore(database),
    storedObjectStore: createStoredObjectStore(database),
    pulls: createPullStore(database),
    approvals: createMcpApprovalStore(database),
    alerts: createAlertStore(database),
    alertChannels: createChannelStore(database),
    alertDeliveries: createDeliveryStore(database),
    images: createImageStore(database, {
      folder: imagesFolder(config),
      bytesMax: config.imagesBytesMax,
      random,
    }),
  };
}

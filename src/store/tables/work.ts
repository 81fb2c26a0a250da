/** The tables of jobs, batches, downloads, alerts, and of the servers that share a database. */
import type { Generated } from "kysely";
import type { AlertDetails, AlertEvent, AlertKind } from "../../core/report/alerts.js";
import type { BatchFormat, JobKind } from "../column-values.js";

/** The state of the download of a model. */
type PullState = "queued" | "running" | "done" | "failed" | "cancelled";

type DeferredState = "pending" | "done" | "failed";

/** The state of a batch; the last four are final. */
type BatchState =
  | "validating"
  | "in_progress"
  | "finalizing"
  | "cancelling"
  | "completed"
  | "failed"
  | "expired"
  | "cancelled";

/** The state of a line: without a job, with a job, or answered. */
type BatchLineState = "waiting" | "queued" | "succeeded" | "errored";

export interface WorkTables {
  /** The servers that share the database. */
  nodes: {
    id: Generated<number>;
    name: string;
    /** Names the folder of the contents of files and images. */
    storageId: string;
    /** Where it counts rate limits, as operators read it; null: it is not known. */
    limitsPlace: string | null;
    startTime: number;
  };
  jobs: {
    /** The id by which its outcome is fetched. */
    id: string;
    kind: JobKind;
    teamId: string;
    apiKeyId: string;
    /** The route of its request, as the table of runs has it. */
    endpoint: string;
    /** How often it was started. */
    attempts: number;
    leaseUntil: number | null;
    createTime: number;
    /** JSON text of the request, as the client sent it; of a deferred completion, with the contents of its files. */
    body: string;
    /** The tags of its request; null: none. */
    tags: readonly string[] | null;
    /** The server that has it in flight, of several that share the database. */
    nodeId: Generated<number | null>;
  };
  deferredCompletions: {
    id: string;
    teamId: string;
    userId: string | null;
    state: DeferredState;
    createTime: number;
    expireTime: number | null;
    /** JSON text of the response or of the error. */
    outcome: string | null;
  };
  batches: {
    id: string;
    teamId: string;
    /** The key that created it: lines are answered with its permissions, limits and credit. */
    apiKeyId: string;
    userId: string | null;
    format: BatchFormat;
    /** The route of its requests. */
    endpoint: string;
    state: BatchState;
    /** The state that it will end in, once it has no more lines to answer; null before. */
    outcome: "completed" | "expired" | "cancelled" | null;
    inputFileId: string | null;
    /** Answers; of a message batch all results. */
    outputFileId: string | null;
    errorFileId: string | null;
    /** How long its output is stored. */
    outputExpiresMs: number;
    /** JSON text. */
    metadata: string | null;
    /** JSON text of a list of `BatchError`. */
    errors: string | null;
    lines: number;
    /** Bytes of its requests. */
    bytes: number;
    /** The first line that was not queued yet. */
    nextLine: number;
    succeeded: number;
    errored: number;
    /** Lines that were not answered because it expired or was cancelled. */
    dropped: number;
    promptTokens: number;
    cachedTokens: number;
    /** Reasoning included. */
    completionTokens: number;
    reasoningTokens: number;
    createTime: number;
    /** When it is ended although it has lines to answer. */
    expireTime: number;
    startTime: number | null;
    finalizeTime: number | null;
    cancelTime: number | null;
    endTime: number | null;
    /** The tags of the request that created it; null: none. */
    tags: readonly string[] | null;
  };
  batchLines: {
    batchId: string;
    line: number;
    customId: string;
    state: BatchLineState;
    /** JSON text. */
    body: string;
    result: string | null;
  };
  /** Approvals that were used. */
  mcpApprovals: {
    teamId: string;
    /** The id of the approval request, as the client knows it. */
    id: string;
    expireTime: number;
  };
  modelPulls: {
    id: string;
    /** What to pull, as it was asked. */
    what: string;
    state: PullState;
    /** Id of the actor. */
    actor: string;
    createTime: number;
    /** null while it is queued or running. */
    endTime: number | null;
    /** Id of the model; null unless it is done. */
    modelId: string | null;
    /** A public sentence; null unless it has failed. */
    error: string | null;
    /** The server that does it, of several that share the database. */
    nodeId: Generated<number | null>;
  };
  alertChannels: {
    id: string;
    /** It gets the alerts of this team; null: all alerts, the alerts of the server included. */
    teamId: string | null;
    kind: "webhook" | "email";
    /** URL of a webhook, or an e-mail address. */
    target: string;
    /** What webhooks are signed with; null for e-mail. */
    secret: string | null;
    /** It gets an alert when the credit of a team falls below this; null: below the setting's amount. */
    creditTicks: number | null;
    createTime: number;
  };
  alerts: {
    id: string;
    /** null: the whole server. */
    teamId: string | null;
    kind: AlertKind;
    /** Identifies it among the alerts of its kind: the same while it goes on. */
    subject: string;
    /** One sentence. */
    message: string;
    details: AlertDetails;
    raiseTime: number;
    /** When its last message was written. */
    sendTime: number;
    /** null: it goes on. */
    resolveTime: number | null;
  };
  alertDeliveries: {
    /** The `webhook-id`: the same in every attempt. */
    id: string;
    channelId: string;
    /** null: a test. */
    alertId: string | null;
    event: AlertEvent;
    /** JSON text. */
    body: string;
    state: "queued" | "delivered" | "dead";
    attempts: number;
    nextTime: number;
    createTime: number;
    endTime: number | null;
    /** Why the last attempt failed. */
    error: string | null;
  };
}

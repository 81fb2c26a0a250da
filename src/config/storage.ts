/** Settings of the database and of Redis, and those that limit what teams store, and how long: runs, responses, chat completions, conversations, files and batches. */
import { z } from "zod";
import { whole, zeroOr } from "./values.js";

export const storageSettings = {
  /** The address of a PostgreSQL database, with its password; null: a SQLite file in the data folder. */
  databaseUrl: z
    .string()
    .max(4096)
    .refine(
      (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text),
      "must be an address such as postgres://user:password@host:5432/hearth",
    )
    .nullable()
    .default(null),
  /** Connections to PostgreSQL that a server has at most, one of them for its lock. */
  databaseConnectionsMax: whole(2, 1_000).default(10),
  /** What this server is called among those that share the database; null: the machine's name and the port. */
  serverName: z
    .string()
    .regex(/^[\w.:@-]{1,100}$/, "must have 1 to 100 letters, digits or . : @ _ -")
    .nullable()
    .default(null),
  /** The folder of the contents of files and images, and of settings of models, for servers that share the database; null: the data folder. */
  sharedFolder: z.string().min(1).max(4096).nullable().default(null),
  /** The address of a Redis or Valkey server, with its password, that counts rate limits; null: the database counts them. */
  redisUrl: z
    .string()
    .max(4096)
    .refine(
      (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text),
      "must be an address such as redis://user:password@host:6379/0, or rediss:// for TLS",
    )
    .nullable()
    .default(null),
  /** What the names of keys in Redis begin with; installations that share a Redis need different ones. */
  redisPrefix: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must have 1 to 64 letters, digits, dots, hyphens or underscores")
    .default("hearth"),
  /** How long Redis may take to count a request. */
  redisTimeoutMs: whole(10, 10_000).default(250),
  /** While Redis cannot be used, each server counts for itself (`open`), or requests with limits are refused (`closed`). */
  limitsWithoutRedis: z.enum(["open", "closed"]).default("open"),
  /** Responses that may be stored, over all teams. */
  responsesMax: whole(0, 100_000_000).default(1_000_000),
  /** Chat completions that may be stored, over all teams. */
  chatCompletionsMax: whole(0, 10_000_000).default(100_000),
  /** Conversations that a team may have. */
  teamConversationsMax: whole(0, 10_000_000).default(100_000),
  /** Items that a conversation may have. */
  conversationItemsMax: whole(1, 1_000_000).default(10_000),
  /** Bytes that the items of a conversation may have. */
  conversationBytesMax: whole(1024, 1_073_741_824).default(33_554_432),
  /** How long runs are stored, which the log of requests shows; 0: they are never deleted. Sums of usage and the ledger stay. */
  runsKeptDays: zeroOr(whole(1, 36_500)).default(0),
  /** How long what clients say of their runs is stored: the user and the metadata of requests. */
  runLabelsKeptDays: whole(1, 36_500).default(90),
  /** How long a response is stored. */
  responsesKeptDays: whole(1, 36_500).default(30),
  /** How long a chat completion is stored. */
  chatCompletionsKeptDays: whole(1, 36_500).default(30),
  /** How long the outcome of a deferred completion can be fetched. */
  deferredKeptHours: whole(1, 8_760).default(24),
  /** Largest file that may be uploaded. */
  fileBytesMax: whole(1, 17_179_869_184).default(536_870_912),
  /** Files that one team may have stored. */
  teamFilesMax: whole(0, 1_000_000).default(10_000),
  /** Bytes of all files of one team. */
  teamFileBytesMax: whole(0, 1_099_511_627_776).default(10_737_418_240),
  /** Requests of one batch. */
  batchLinesMax: whole(1, 1_000_000).default(50_000),
  /** Bytes of the requests of one batch. */
  batchBytesMax: whole(1, 17_179_869_184).default(209_715_200),
  /** Batches of one team that have not ended; then, their requests and bytes together. */
  teamBatchesMax: whole(0, 100_000).default(100),
  teamBatchLinesMax: whole(0, 10_000_000).default(200_000),
  teamBatchBytesMax: whole(0, 1_099_511_627_776).default(1_073_741_824),
  /** Ended batches of one team: the oldest are removed when it creates more. */
  teamEndedBatchesMax: whole(1, 1_000_000).default(10_000),
  /** What requests of batches cost, in percent of the model's prices. */
  batchPricePercent: whole(0, 100).default(50),
} as const;

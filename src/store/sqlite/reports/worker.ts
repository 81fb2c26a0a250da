/** The thread that reads for reports: on a connection of its own, which cannot write. */
import { parentPort, workerData } from "node:worker_threads";
import type { SqliteStatement } from "kysely";
import { readErrorCode } from "../../../system/file-errors.js";
import { lowerPriority } from "../../../system/thread-priority.js";
import { connectSqlite } from "../connect.js";
import { createStatement } from "../statement.js";
import { chunkRows, type ReportAnswer, type ReportQuestion } from "./protocol.js";

/** How long a statement waits for a lock; readers wait for none but while the database is recovered. */
const lockWaitMs = 5000;
const cacheBytesMax = 33_554_432;

/** On a busy core, a report gets about a tenth of the time of the threads that answer requests. */
const niceIncrement = 10;

const port = parentPort;
if (port === null) throw new Error("this file is a thread of the server");
const { file } = workerData as { readonly file: string };
lowerPriority(niceIncrement);

const sqlite = connectSqlite(file, { readonly: true, fileMustExist: true, timeout: lockWaitMs });
sqlite.pragma(`cache_size = -${cacheBytesMax / 1024}`);
const statements = new Map<string, SqliteStatement>();

function prepareStatement(text: string): SqliteStatement {
  const found = statements.get(text) ?? createStatement(sqlite.prepare<readonly unknown[]>(text));
  statements.set(text, found);
  return found;
}

/** Rows of the last statement that were not sent yet. */
let rest: readonly unknown[] = [];

function answer(question: ReportQuestion): ReportAnswer {
  try {
    if (question !== null) rest = prepareStatement(question.text).all(question.parameters);
    const rows = rest.slice(0, chunkRows);
    rest = rest.slice(chunkRows);
    return { rows, hasMore: rest.length > 0 };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { error: { message, code: readErrorCode(thrown) } };
  }
}

port.on("message", (question: ReportQuestion) => port.postMessage(answer(question)));

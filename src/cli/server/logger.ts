/** The logger of a server: lines of JSON to standard error, and to the log in the data folder. */
import { pino } from "pino";
import type { Config } from "../../config/config.js";
import { printable } from "../terminal.js";
import { openLogFile } from "./log-file.js";

export function createServerLogger(config: Config): pino.Logger {
  const { logLevel, logBytesMax } = config;
  if (logLevel === "silent") return pino({ level: logLevel });
  // A terminal is for the person who started the server; the log is read when something has happened.
  const atStderr = logLevel === "auto" && process.stderr.isTTY ? "warn" : "info";
  const streams = [
    { level: logLevel === "auto" ? atStderr : logLevel, stream: standardError() },
    ...(logBytesMax === 0
      ? []
      : [{ level: logLevel === "auto" ? "info" : logLevel, stream: openLogFile(config, logBytesMax) }]),
  ];
  return pino({ level: logLevel === "auto" ? "info" : logLevel }, pino.multistream(streams));
}

/** Log lines have texts of models and clients, of which JSON does not escape all that a terminal obeys. */
function standardError(): pino.DestinationStream {
  return process.stderr.isTTY
    ? { write: (line) => void process.stderr.write(printable(line)) }
    : pino.destination(2);
}

/** Prints the files of the CPU libraries that this process has in memory once the engine is loaded. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { getLlama } from "node-llama-cpp";

const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, progressLogs: false });
const files = readFileSync("/proc/self/maps", "utf8").match(/\S*\/libggml-cpu-\S+/g) ?? [];
process.stdout.write(`${[...new Set(files.map((file) => basename(file)))].join(" ")}\n`);
await llama.dispose();

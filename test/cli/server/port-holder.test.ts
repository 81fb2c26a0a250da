import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { findPortHolder, listeningInodes, parseLsof } from "../../../src/system/port-holder.js";

it.runIf(process.platform === "linux")("finds the process that listens on a port", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  expect(findPortHolder(port)?.pid).toBe(process.pid);
});

it("reads what Linux and macOS say of listening sockets", () => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    "   0: 0100007F:10B8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0",
    "   1: 0100007F:10B8 0100007F:1234 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0",
  ].join("\n");
  expect(listeningInodes(table, 4280)).toEqual(["4711"]);
  expect(listeningInodes(table, 4281)).toEqual([]);
  expect(parseLsof("p123\ncnode\nf20\n")).toEqual({ pid: 123, program: "node" });
  expect(parseLsof("")).toBeNull();
});

import { expect, it } from "vitest";
import { startServer } from "../../../kit/server.js";

it("E3: searches names and redacted forms for a text, in which nothing has a special meaning", async () => {
  const server = await startServer({ accounts: "managed" });
  const teamId = await server.createTeam();
  const laptop = await server.createKey(teamId, { name: "Ada's Laptop 100%" });
  const build = await server.createKey(teamId, { name: "build_server" });
  const search = async (text: string) => {
    const path = `/auth/teams/${teamId}/api-keys?query=${encodeURIComponent(text)}`;
    return (await server.request("GET", path)).body as { apiKeys: readonly { apiKeyId: string }[] };
  };
  const tail = build.apiKey.slice(-4);
  for (const [text, found] of [
    ["laptop", [laptop]],
    [tail, [build]],
    ["0%", [laptop]],
    ["%", [laptop]],
    ["_", [build]],
    ["' or 1=1 --", []],
    [laptop.apiKey.slice(3, 20), []],
    ["", [laptop, build]],
  ] as const)
    expect([text, (await search(text)).apiKeys.map(({ apiKeyId }) => apiKeyId)]).toEqual([
      text,
      found.map(({ apiKeyId }) => apiKeyId),
    ]);
  const long = await search("a".repeat(101));
  expect(long).toMatchObject({ message: "query: must have at most 100 characters" });
});

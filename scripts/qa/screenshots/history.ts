/** Creates keys of a team and sends a month of requests with them, as programs and people do. */
import { seeded } from "../../../test/kit/models/gguf-writer/weights.js";
import { fetchJson } from "../world/ask.js";
import { chatBody, chatPath } from "../world/requests.js";
import type { PictureServer } from "./server.js";

const [hourMs, dayMs, days] = [3_600_000, 86_400_000, 30];
const chatModel = "hearth-tiny-5m";
const embeddingModel = "hearth-embed-1m";

interface Program {
  readonly name: string;
  readonly settings: object;
  /** Requests on a working day at the end of the month; on others fewer. */
  readonly requests: number;
  readonly model: string;
}

const all = ["api-key:endpoint:*", "api-key:model:*"];
const chatOnly = ["api-key:endpoint:chat", `api-key:model:${chatModel}`];
const embeddingsOnly = ["api-key:endpoint:embed", `api-key:model:${embeddingModel}`];

const programs: readonly Program[] = [
  { name: "Support assistant", settings: { acls: chatOnly, qpm: 600 }, requests: 7, model: chatModel },
  { name: "Code review", settings: { acls: chatOnly, tpm: "200000" }, requests: 5, model: chatModel },
  { name: "Search in the docs", settings: { acls: embeddingsOnly }, requests: 6, model: embeddingModel },
  { name: "Meeting notes", settings: { acls: chatOnly }, requests: 3, model: chatModel },
  {
    name: "Ada's laptop",
    settings: { acls: all, ipRanges: ["127.0.0.0/8", "10.0.0.0/8"] },
    requests: 2,
    model: chatModel,
  },
];

const sentences = [
  "What is 3 plus 4?",
  "The parcel has not arrived, and the customer asks where it is.",
  "Please read the change and say in one sentence what it does.",
  "The meeting decided to ship on Monday, and Bob writes the guide.",
  "Which colour has the sky on a clear day?",
];

/** @param now the end of the month. @returns the secrets of the keys, in the order of creation */
export async function makeHistory(server: PictureServer, now: number): Promise<readonly string[]> {
  const random = seeded(7);
  server.setTime(now - days * dayMs);
  const teamId = await firstTeam(server);
  const secrets: string[] = [];
  for (const { name, settings } of programs) {
    const body = { name, ...settings };
    const { apiKey } = await manage<{ apiKey: string }>(server, `/auth/teams/${teamId}/api-keys`, body);
    secrets.push(apiKey);
  }
  for (let day = days; day >= 0; day--) {
    const start = now - (now % dayMs) - day * dayMs;
    const weekday = new Date(start).getUTCDay();
    const share = (weekday === 0 || weekday === 6 ? 0.3 : 1) * (0.5 + (0.5 * (days - day)) / days);
    for (const [index, { requests, model }] of programs.entries()) {
      const count = Math.round(requests * share * (0.7 + 0.6 * random()));
      for (let request = 0; request < count; request++) {
        const time = start + (7 + 10 * random()) * hourMs;
        if (time > now) continue;
        server.setTime(time);
        await send(server.url, secrets[index] ?? "", model, random);
      }
    }
  }
  server.setTime(now);
  for (const [index, { model }] of programs.entries())
    await send(server.url, secrets[index] ?? "", model, random);
  return secrets;
}

async function firstTeam(server: PictureServer): Promise<string> {
  const { teams } = await manage<{ teams: readonly { teamId: string }[] }>(server, "/auth/teams");
  return teams[0]?.teamId ?? "";
}

async function manage<Answer>(
  { url, managementKey }: PictureServer,
  path: string,
  body?: object,
): Promise<Answer> {
  return fetchJson<Answer>(url + path, { key: managementKey, body });
}

async function send(url: string, secret: string, model: string, random: () => number): Promise<void> {
  const text = Array.from(
    { length: 3 + Math.floor(random() * 12) },
    () => sentences[Math.floor(random() * sentences.length)],
  ).join(" ");
  if (model === embeddingModel)
    await fetchJson(`${url}/v1/embeddings`, { key: secret, body: { model, input: text } });
  else {
    await fetchJson(url + chatPath, { key: secret, body: chatBody({ model, text }, 24) });
  }
}

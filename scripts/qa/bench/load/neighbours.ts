/** Measures what a client with costly JSON Schemas costs the requests of another team, whose schema is known already. */
import { postText, type Target } from "../../world/client.js";
import { tinyModel, spawnServer } from "../../world/server.js";
import { quantile, timed, toRow, type Row } from "../../figures/table.js";
import { addTeam } from "../../world/teams.js";

const costlySchemas = 20;
const requestsAlone = 60;

/** About half a second of CPU time each, and each different. */
function costly(nth: number): object {
  const pattern = `^(a|b|ab|ba)*[a-z]{2,${9 + nth}}$`;
  const names = Array.from({ length: 60 }, (_, at) => `key_${nth}_${at}`);
  const value = { type: "string", pattern, minLength: 3, maxLength: 40 };
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, value])) };
}

const known = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

export async function neighbourRows(): Promise<readonly Row[]> {
  const server = await spawnServer();
  try {
    const neighbour = await addTeam(server, "neighbour");
    for (let nth = 0; nth < 5; nth += 1) await ask(neighbour, known);
    const alone: number[] = [];
    for (let nth = 0; nth < requestsAlone; nth += 1) alone.push(await ask(neighbour, known));
    let isOver = false;
    const attack = Promise.all(
      Array.from({ length: costlySchemas }, (_, nth) => ask(server, costly(nth))),
    ).then(() => (isOver = true));
    const beside: number[] = [];
    while (!isOver) beside.push(await ask(neighbour, known));
    await attack;
    const p95 = (times: readonly number[]): number => quantile(times, 0.95);
    return [
      toRow(
        `p95 of a neighbour beside ${costlySchemas} costly schemas / alone`,
        `${(p95(beside) / p95(alone)).toFixed(2)} (${p95(beside).toFixed(0)} ms / ${p95(alone).toFixed(0)} ms)`,
        "<= 2",
      ),
    ];
  } finally {
    await server.stop();
  }
}

/** Returns the milliseconds until the answer. */
function ask(target: Target, schema: object): Promise<number> {
  const body = {
    model: tinyModel,
    messages: [{ role: "user", content: "Hello!" }],
    max_tokens: 8,
    reasoning_effort: "none",
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
  };
  return timed(() => postText(target, "/v1/chat/completions", body));
}

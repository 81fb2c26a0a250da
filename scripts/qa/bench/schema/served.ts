/**
 * Sends a hundred schemas to the built-in model over HTTP and validates the complete answers with ajv, which
 * the server does not use. The time per token with a grammar is compared with the time of free text by the same
 * model, in turn.
 */
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import draft4 from "ajv-draft-04";
import { postJson, readText } from "../../world/client.js";
import { firstKey, tinyModel, spawnServer, type ServerProcess } from "../../world/server.js";
import { quantile, toRow, type Row } from "../../figures/table.js";
import type { SchemaFile } from "./corpus.js";

const schemasMax = 100;
const maxTokens = 200;

interface Served {
  readonly status: number;
  readonly finish: string;
  readonly text: string;
  /** Milliseconds per token after the first. */
  readonly msPerToken: number;
}

export async function servedRows(files: readonly SchemaFile[]): Promise<readonly Row[]> {
  const server = await spawnServer({});
  const counts = { completed: 0, valid: 0, unjudged: 0, cut: 0, refused: 0, failed: 0 };
  const ratios: number[] = [];
  try {
    await ask(server, null, 0);
    for (const [nth, file] of evenly(files).entries()) {
      const { schema } = JSON.parse(readFileSync(file.path, "utf8")) as { readonly schema: object };
      const held = await ask(server, schema, nth);
      const free = await ask(server, null, nth);
      if (held.status === 400) counts.refused += 1;
      else if (held.status !== 200) counts.failed += 1;
      else if (held.finish === "length") counts.cut += 1;
      else {
        counts.completed += 1;
        const validate = ajvValidator(schema);
        if (validate === null) counts.unjudged += 1;
        else if (validate(JSON.parse(held.text))) counts.valid += 1;
      }
      const ratio = held.msPerToken / free.msPerToken;
      if (Number.isFinite(ratio)) ratios.push(ratio);
    }
  } finally {
    await server.stop();
  }
  const { completed, valid, unjudged, cut, refused, failed } = counts;
  const share = `${valid} of ${completed - unjudged} valid`;
  return [
    toRow(
      "over HTTP: completed answers, validated by ajv",
      `${share} (${unjudged} that ajv cannot compile; cut ${cut}, refused ${refused}, failed ${failed})`,
      "100 %",
    ),
    toRow(
      "over HTTP: time per token, with grammar / without",
      `${quantile(ratios, 0.5).toFixed(2)} (p90 ${quantile(ratios, 0.9).toFixed(2)})`,
      "<= 1.15",
    ),
  ];
}

function evenly(files: readonly SchemaFile[]): readonly SchemaFile[] {
  if (files.length <= schemasMax) return files;
  const at = (nth: number) => files[Math.floor((nth * files.length) / schemasMax)];
  return Array.from({ length: schemasMax }, (_, nth) => at(nth)).filter((file) => file !== undefined);
}

async function ask(server: ServerProcess, schema: object | null, seed: number): Promise<Served> {
  const format =
    schema === null
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } } };
  const answer = await postJson(
    `${server.url}/v1/chat/completions`,
    JSON.stringify({
      model: tinyModel,
      messages: [{ role: "user", content: "Tell me a story." }],
      max_tokens: maxTokens,
      seed,
      reasoning_effort: "none",
      ...format,
    }),
    { authorization: `Bearer ${firstKey}` },
  );
  const body = JSON.parse(await readText(answer)) as {
    readonly choices?: readonly [
      { readonly finish_reason: string; readonly message: { readonly content: string } },
    ];
  };
  const [choice] = body.choices ?? [];
  return {
    status: answer.status,
    finish: choice?.finish_reason ?? "",
    text: choice?.message.content ?? "",
    msPerToken: 1000 / Number(answer.headers["x-hearth-decode-tps"] ?? Number.NaN),
  };
}

/** Compiles a schema with ajv; null if ajv cannot compile it. `$async` would make it return a promise. */
function ajvValidator(schema: object): ValidateFunction | null {
  const options = { strict: false, validateFormats: false, logger: false } as const;
  const plain = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$async" ? undefined : value,
  ) as Record<string, unknown>;
  try {
    const old = JSON.stringify(plain["$schema"] ?? "").includes("draft-04");
    delete plain["$schema"];
    return old ? new draft4.default(options).compile(plain) : new Ajv(options).compile(plain);
  } catch {
    return null;
  }
}

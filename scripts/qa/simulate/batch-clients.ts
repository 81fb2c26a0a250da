/** Clients that upload files, create batches of them, cancel some, and read what each has answered. */
import type { Chance } from "../figures/chance.js";
import {
  finalStates,
  type AcceptedBatch,
  type AcceptedBatches,
  type SeenBatch,
  type SeenLine,
} from "../checks/batches.js";
import { batchBody, batchLine, chatBody, parseLines } from "../world/requests.js";
import type { ExchangeEnd, SimulatedRequest } from "./client.js";
import { writePlan } from "./engine.js";
import type { SimulatedTime } from "./time.js";
import { simulatedModel, type SimulatedTeam } from "./world.js";

export interface BatchClientsDeps {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly batches: AcceptedBatches;
  /** Sends a request of a team; a broken connection, or no server, is null. */
  readonly ask: (
    kind: string,
    teamId: string,
    request: SimulatedRequest,
    ended: (outcome: ExchangeEnd) => void,
  ) => void;
}

const pollMs = 120_000;

export class BatchClients {
  readonly #deps: BatchClientsDeps;
  #count = 0;

  constructor(deps: BatchClientsDeps) {
    this.#deps = deps;
  }

  /** Uploads the requests of a batch and creates it. */
  create(team: SimulatedTeam, stepMs: number): void {
    const { chance } = this.#deps;
    const name = `b${++this.#count}`;
    const isWrong = chance.happens(0.1);
    const lines = Array.from({ length: chance.between(1, 12) }, (_, at) =>
      this.#line(`${name}-${at}`, stepMs),
    );
    const ids = lines.map(({ custom_id }) => custom_id);
    if (isWrong) lines.push({ ...lines[0], custom_id: ids[0] ?? name } as (typeof lines)[number]);
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const key = team.keys[chance.between(0, 1)]?.secret ?? "";
    const form = { name: `${name}.jsonl`, text, fields: { purpose: "batch" } };
    this.#deps.ask("upload", team.id, { method: "POST", path: "/v1/files", key, form }, (outcome) => {
      if (outcome?.status !== 200) return;
      const body = batchBody(readId(outcome));
      this.#deps.ask("batch", team.id, { method: "POST", path: "/v1/batches", key, body }, (created) => {
        if (created?.status !== 200) return;
        this.#follow({ id: readId(created), teamId: team.id, lines: isWrong ? null : new Set(ids) }, team);
      });
    });
  }

  #line(customId: string, stepMs: number) {
    const { chance } = this.#deps;
    const tokens = chance.between(1, 16);
    const failsAt = chance.happens(0.05) ? 0 : -1;
    const prompt = {
      model: simulatedModel.manifest.id,
      text: writePlan({ tag: customId, tokens, stepMs, failsAt }),
    };
    // Some requests are refused when their line is answered.
    return batchLine(
      customId,
      chatBody(
        prompt,
        tokens,
        chance.happens(0.05) ? { temperature: 9, max_completion_tokens: undefined } : {},
      ),
    );
  }

  #follow(batch: AcceptedBatch, team: SimulatedTeam): void {
    const { time, chance, batches } = this.#deps;
    batches.add(batch);
    const again = (): void => {
      if (!batches.has(batch.id)) return;
      this.#poll(batch, team);
      time.after(pollMs + chance.between(0, 60_000), again);
    };
    time.after(chance.between(1000, 60_000), again);
    if (chance.happens(0.25)) time.after(chance.between(0, 30_000), () => this.#cancel(batch, team));
  }

  #cancel({ id, teamId }: AcceptedBatch, { keys }: SimulatedTeam): void {
    const key = keys[0]?.secret ?? "";
    const path = `/v1/batches/${id}/cancel`;
    this.#deps.ask("cancel batch", teamId, { method: "POST", path, key, body: {} }, () => undefined);
  }

  #poll(batch: AcceptedBatch, { keys }: SimulatedTeam): void {
    const { batches, ask } = this.#deps;
    const key = keys[0]?.secret ?? "";
    const read = (path: string, then: (text: string) => void): void =>
      ask("get batch", batch.teamId, { method: "GET", path, key }, (outcome) => {
        if (outcome?.status === 200) then(outcome.text);
      });
    const readLines = (file: string | null, then: (lines: readonly SeenLine[]) => void): void => {
      if (file === null) then([]);
      else read(`/v1/files/${file}/content`, (text) => then(parseLines<SeenLine>(text)));
    };
    read(`/v1/batches/${batch.id}`, (text) => {
      const seen = JSON.parse(text) as SeenBatch;
      if (!finalStates.includes(seen.status)) return;
      readLines(seen.output_file_id, (output) =>
        readLines(seen.error_file_id, (errors) => {
          if (batches.has(batch.id)) batches.end(batch, seen, output, errors);
        }),
      );
    });
  }
}

function readId({ text }: { readonly text: string }): string {
  return (JSON.parse(text) as { readonly id: string }).id;
}

/** The models of the server, their downloads, and the models that a team may use. */
import type { z } from "zod";
import type { adminModelSchema } from "../../http/management/models/present-model.js";
import type { modelPullSchema } from "../../http/management/models/pulls.js";
import type { clustersSchema } from "../../http/management/teams/models.js";
import { get, request, stream } from "../lib/client.js";

export type Model = z.infer<typeof adminModelSchema>;
export type Pull = z.infer<typeof modelPullSchema>;

/** A model as a team sees it. Prices are USD per million tokens; of an image model, USD per image. */
export interface TeamModel {
  readonly id: string;
  readonly kind: "chat" | "embedding" | "image";
  readonly aliases: readonly string[];
  /** null for an image model. */
  readonly contextTokens: number | null;
  readonly prices: readonly number[];
}

interface List<Item> {
  readonly data: readonly Item[];
}

export async function listModels(signal?: AbortSignal): Promise<readonly Model[]> {
  return (await get<List<Model>>("/admin/models", {}, signal)).data;
}

/** Changes settings; null removes one. */
export function updateModel(id: string, change: Readonly<Record<string, unknown>>): Promise<Model> {
  return request("PUT", `/admin/models/${toPath(id)}`, { body: change });
}

export function deleteModel(id: string): Promise<unknown> {
  return request("DELETE", `/admin/models/${toPath(id)}`);
}

/** Resolves when the model is in memory. */
export function loadModel(model: string): Promise<Model> {
  return request("POST", "/admin/models/load", { body: { model } });
}

export function unloadModel(model: string): Promise<Model> {
  return request("POST", "/admin/models/unload", { body: { model } });
}

/** @param model `org/repo:quant`, a URL, or a name such as `qwen3:4b` */
export function pullModel(model: string): Promise<Pull> {
  return request("POST", "/admin/models/pull", { body: { model } });
}

/** Lists the newest downloads, the newest first. */
export async function listPulls(signal?: AbortSignal): Promise<readonly Pull[]> {
  return (await get<List<Pull>>("/admin/models/pulls", {}, signal)).data;
}

/** Yields the progress of a download until it has ended. */
export function followPull(id: string, signal: AbortSignal): AsyncGenerator<Pull> {
  return stream("GET", `/admin/models/pulls/${id}`, { query: { stream: true }, signal });
}

export function cancelPull(id: string): Promise<Pull> {
  return request("DELETE", `/admin/models/pulls/${id}`);
}

/** Lists the models that a team may use. */
export async function listTeamModels(teamId: string, signal?: AbortSignal): Promise<readonly TeamModel[]> {
  const { clusterConfigs } = await get<z.infer<typeof clustersSchema>>(
    `/auth/teams/${teamId}/models`,
    {},
    signal,
  );
  return clusterConfigs.flatMap(({ languageModels, embeddingModels, imageGenerationModels }) => [
    ...languageModels.map((model) => ({
      ...textModel(model, "chat"),
      prices: [model.promptTextTokenPrice, model.completionTextTokenPrice].map(perMillion),
    })),
    ...embeddingModels.map((model) => ({
      ...textModel(model, "embedding"),
      prices: [perMillion(model.promptTextTokenPrice)],
    })),
    ...imageGenerationModels.map(({ name, aliases, imagePrice }) => ({
      id: name,
      kind: "image" as const,
      aliases,
      contextTokens: null,
      prices: [Number(imagePrice) / ticksPerUsd],
    })),
  ]);
}

const ticksPerUsd = 1e10;

function textModel(
  model: { readonly name: string; readonly aliases: readonly string[]; readonly maxPromptLength: number },
  kind: TeamModel["kind"],
) {
  return { id: model.name, kind, aliases: model.aliases, contextTokens: model.maxPromptLength };
}

/** @param ticks for one token */
function perMillion(ticks: string): number {
  return (Number(ticks) * 1e6) / ticksPerUsd;
}

/** An ID may have slashes, which stay. */
function toPath(id: string): string {
  return id.split("/").map(encodeURIComponent).join("/");
}

/** Image models, and generated images. */
import type { z } from "zod";
import type { ImageList } from "../../dialects/openai-images/response-schema.js";
import type { imageModelList } from "../../http/inference/models/image-generation-models.js";
import { get, request } from "../lib/client.js";

export type ImageModel = z.infer<typeof imageModelList>["models"][number];
export type { ImageList };

export interface ImageOrder {
  readonly model: string;
  readonly prompt: string;
  readonly n: number;
  /** Such as 512x512; absent: the model decides. */
  readonly size?: string;
  readonly seed?: number;
}

export async function listImageModels(signal?: AbortSignal): Promise<readonly ImageModel[]> {
  const { models } = await get<z.infer<typeof imageModelList>>("/v1/image-generation-models", {}, signal);
  return models;
}

/** Generates images, as data. @throws ApiError, AbortError */
export function generateImages(order: ImageOrder, signal: AbortSignal): Promise<ImageList> {
  return request("POST", "/v1/images/generations", {
    body: { ...order, response_format: "b64_json" },
    signal,
  });
}

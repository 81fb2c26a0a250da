/** The generated images of the playground. They stay while the member opens other pages of the console, not after a reload. */
import type { ImageList } from "../../../../dialects/openai-images/response-schema.js";
import { send } from "../../../lib/client.js";
import { elapsed } from "../../../lib/clock.js";
import { toError } from "../../../lib/resource.js";
import { createStore } from "../../../lib/store.js";

/** Older images go. */
const picturesMax = 24;

export interface Picture {
  readonly id: number;
  readonly prompt: string;
  /** `data:` URL. */
  readonly url: string;
  readonly size: string;
  readonly seed: number;
  /** What to call the file. */
  readonly fileName: string;
}

export interface ImageFields {
  readonly model: string;
  readonly prompt: string;
  readonly count: string;
  readonly size: string;
  readonly seed: string;
}

interface Pictures {
  readonly fields: ImageFields;
  /** Newest first. */
  readonly pictures: readonly Picture[];
  readonly isRunning: boolean;
  readonly error: Error | null;
  /** Milliseconds that the last request took. */
  readonly tookMs: number | null;
}

const none: Pictures = {
  fields: { model: "", prompt: "", count: "1", size: "", seed: "" },
  pictures: [],
  isRunning: false,
  error: null,
  tookMs: null,
};

export const pictures = createStore<Pictures>(none);
let abort: AbortController | null = null;
let memberId: string | null = null;
let nextId = 1;

/** Begins anew if another member was signed in before. */
export function openPicturesFor(member: string): void {
  if (memberId === member) return;
  memberId = member;
  abort?.abort();
  pictures.set(none);
}

/** Changes fields of the form. */
export function setFields(change: Partial<ImageFields>): void {
  const { fields, ...state } = pictures.get();
  pictures.set({ ...state, fields: { ...fields, ...change } });
}

/** Ends the generation. */
export function stopImages(): void {
  abort?.abort();
}

/** Generates what the form asks for. */
export async function generate(): Promise<void> {
  const { fields } = pictures.get();
  const controller = new AbortController();
  abort?.abort();
  abort = controller;
  const startedAt = elapsed();
  pictures.set({ ...pictures.get(), isRunning: true, error: null });
  try {
    const list = await send<ImageList>("POST", "/v1/images/generations", toOrder(fields), controller.signal);
    const added = list.data.map((image) => toPicture(image, list, fields.prompt));
    const state = pictures.get();
    if (abort !== controller) return;
    const all = [...added, ...state.pictures].slice(0, picturesMax);
    pictures.set({ ...state, pictures: all, isRunning: false, tookMs: elapsed() - startedAt });
  } catch (thrown) {
    if (abort !== controller) return;
    const error = controller.signal.aborted ? null : toError(thrown);
    pictures.set({ ...pictures.get(), isRunning: false, error });
  }
}

function toOrder({ model, prompt, count, size, seed }: ImageFields): object {
  return {
    model,
    prompt,
    n: Number(count),
    size: size.trim() || undefined,
    seed: seed === "" ? undefined : Number(seed),
    response_format: "b64_json",
  };
}

function toPicture(
  image: ImageList["data"][number],
  { size, output_format }: ImageList,
  prompt: string,
): Picture {
  const id = nextId++;
  return {
    id,
    prompt,
    url: `data:${image.mime_type};base64,${image.b64_json ?? ""}`,
    size,
    seed: image.seed,
    fileName: `image-${image.seed}.${output_format}`,
  };
}

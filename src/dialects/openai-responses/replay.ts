/** Responses told again from what is stored of them. Pure. */
import type { ResponseEvent } from "./event-schema.js";
import { createNumbering, itemBegins, itemEnds, itemGrows } from "./items/item-events.js";
import { seal } from "./items/sealed.js";
import type { OutputItem, ResponseObject } from "./wire.js";

/** The events of a response that has ended, with one delta for each of its parts. */
export function replayResponse(response: ResponseObject): readonly ResponseEvent[] {
  const next = createNumbering();
  const tell = (type: LifeCycleType, as: ResponseObject): ResponseEvent => ({
    type,
    sequence_number: next(),
    response: as,
  });
  const running = atBeginning(response);
  const queued: ResponseObject = { ...running, status: "queued" };
  const opening = response.background
    ? [tell("response.created", queued), tell("response.queued", queued)]
    : [tell("response.created", running)];
  const begun = tell("response.in_progress", running);
  const told = response.output.flatMap((item, index) => {
    const place = { index, next };
    const begins = itemBegins(item, place);
    const delta = contentOf(item);
    const isEmpty = delta.text === "" && delta.logprobs.length === 0 && item.type !== "function_call";
    const grows = isEmpty ? [] : [itemGrows(item, place, delta.text, delta.logprobs)];
    return [...begins, ...grows, ...itemEnds(item, place)];
  });
  const ending = endings[response.status];
  return [...opening, begun, ...told, ...(ending === null ? [] : [tell(ending, response)])];
}

/** A response as it is told to whoever asks for more of it than is stored. @param include the words of `include`. */
export function withIncludes(response: ResponseObject, include: readonly string[]): ResponseObject {
  if (!include.includes("reasoning.encrypted_content")) return response;
  const output = response.output.map((item): OutputItem =>
    item.type === "reasoning" && item.status !== "in_progress"
      ? { ...item, encrypted_content: seal(contentOf(item).text) }
      : item,
  );
  return { ...response, output };
}

type LifeCycleType = Extract<ResponseEvent, { response: unknown }>["type"];

const endings: Readonly<Record<ResponseObject["status"], LifeCycleType | null>> = {
  queued: null,
  in_progress: null,
  completed: "response.completed",
  incomplete: "response.incomplete",
  failed: "response.failed",
  cancelled: "response.incomplete",
};

function atBeginning(response: ResponseObject): ResponseObject {
  return {
    ...response,
    status: "in_progress",
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

function contentOf(item: OutputItem) {
  if (item.type === "function_call") return { text: item.arguments, logprobs: [] };
  const [part] = item.type === "message" ? item.content : item.summary;
  return { text: part?.text ?? "", logprobs: part !== undefined && "logprobs" in part ? part.logprobs : [] };
}

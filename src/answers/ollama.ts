/** What Ollama's /api/chat and /api/generate answer; their requests can also only load or unload a model. */
import type { HearthError } from "../core/errors.js";
import type { RunEvent } from "../core/run-event.js";
import { ollamaErrorBody } from "../dialects/error-body.js";
import type { LineIdentity, OllamaIdentity } from "../dialects/ollama/answer.js";
import { jsonLine, linesType } from "../dialects/ollama/lines.js";
import type { OllamaRequest } from "../dialects/ollama/request.js";
import {
  loadNothing,
  type JsonPresenter,
  type ReadyRequest,
  type StreamForm,
  type StreamPresenter,
  type TextEndpoint,
} from "./endpoint.js";

/** How the answers of one endpoint are encoded. */
export interface AnswerForm {
  parse(body: unknown, bodyText: string | null): OllamaRequest;
  loaded(identity: OllamaIdentity, reason: "load" | "unload"): object;
  /** A line without text. */
  empty(identity: LineIdentity): object;
  encoder(identity: OllamaIdentity): LineEncoder;
  fold(identity: OllamaIdentity): LineFold;
}

interface WithTexts {
  /** JSON texts of objects whose numbers the values do not keep. */
  readonly texts?: ReadonlyMap<object, string>;
}

interface LineEncoder extends WithTexts {
  lines(event: RunEvent): readonly object[];
}

interface LineFold extends WithTexts {
  add(event: RunEvent): void;
  result(): object;
}

/** A request that is not only about the memory of its model. */
interface OllamaAnswer extends ReadyRequest {
  /** The name of the model as the client has written it. */
  readonly writtenModel: string;
  /** When the request came, in milliseconds since the epoch. */
  readonly receivedTime: number;
}

/** Returns the endpoint of a parsed request. @param answer has the name by which the server knows its model */
export function ollamaEndpoint(
  form: AnswerForm,
  answer: OllamaAnswer,
): TextEndpoint<OllamaAnswer, OllamaAnswer> {
  return {
    streamForm: () => (answer.stream ? lineForm(form, answer) : null),
    takesFiles: false,
    parse: () => answer,
    load: loadNothing,
    present({ writtenModel }, { createTime, timings }) {
      const identity = { model: writtenModel, created: createTime, times: timings };
      return { stream: () => streamPresenter(form, identity), json: () => jsonPresenter(form, identity) };
    },
  };
}

function streamPresenter(form: AnswerForm, identity: OllamaIdentity): StreamPresenter {
  const encoder = form.encoder(identity);
  return {
    frames: (event) => encoder.lines(event).map((line) => jsonLine(line, encoder.texts)),
    closing: "",
    failure: failureLine,
  };
}

function lineForm(
  form: AnswerForm,
  { writtenModel: model, receivedTime: created }: OllamaAnswer,
): StreamForm {
  // Lines have no comments, and clients parse each one.
  return { contentType: linesType, ping: jsonLine(form.empty({ model, created })), refusal: failureLine };
}

function failureLine(error: HearthError): string {
  return jsonLine(ollamaErrorBody(error));
}

function jsonPresenter(form: AnswerForm, identity: OllamaIdentity): JsonPresenter {
  const fold = form.fold(identity);
  return {
    add: (event) => fold.add(event),
    body: () => jsonLine(fold.result(), fold.texts).trimEnd(),
  };
}

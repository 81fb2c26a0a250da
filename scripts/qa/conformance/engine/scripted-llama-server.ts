/**
 * Speaks llama-server's protocol, with the vocabulary of a true model, and answers by a script: so that a model which calls tools as a
 * capable one does is asked through tokens, templates, grammars and parsers, as any model on a remote engine. Fields and frames as in
 * tools/server/ of llama.cpp 0.4.0.
 */
import { createServer, type ServerResponse } from "node:http";
import type { ScriptOfTools } from "../model.js";
import { listen, readBody, startStream } from "../../world/http-server.js";
import { readPrompt, writeAnswer } from "./conversation.js";
import { openVocabulary, type ServerVocabulary } from "./vocabulary.js";

export interface ScriptedLlamaServer {
  readonly url: string;
  /** Requests that are being answered. */
  active(): number;
  close(): Promise<void>;
}

interface Completion {
  readonly prompt: readonly number[];
  readonly n_predict: number;
}

/** An answer that was begun. A request whose tokens end with a part of it goes on with the rest. */
interface Begun {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  /** Whether it stays silent after its tokens. */
  readonly isHeld: boolean;
}

const bodyBytesMax = 64 * 1024 * 1024;
/** An answer is asked for in a few requests, one after the other. */
const begunMax = 32;
const tokensPerFrame = 8;

/** @param file a GGUF file in the built-in model's template. @param contextTokens of each of its slots */
export async function startScriptedLlamaServer(
  file: string,
  script: ScriptOfTools,
  { contextTokens, slots }: { readonly contextTokens: number; readonly slots: number },
): Promise<ScriptedLlamaServer> {
  const vocabulary = await openVocabulary(file);
  const answers = createAnswers(script, vocabulary);
  let active = 0;
  const routes: Readonly<Record<string, (body: unknown, response: ServerResponse) => void>> = {
    "/health": (_, response) => sendJson(response, { status: "ok" }),
    "/props": (_, response) =>
      sendJson(response, { total_slots: slots, default_generation_settings: { n_ctx: contextTokens } }),
    "/tokenize": (body, response) => {
      const { content } = body as { readonly content: string };
      sendJson(response, { tokens: vocabulary.encode(content, false) });
    },
    "/completion": (body, response) => {
      active += 1;
      response.once("close", () => (active -= 1));
      stream(body as Completion, response, answers.of(body as Completion), vocabulary);
    },
  };
  const server = createServer((request, response) => {
    const route = routes[request.url ?? ""];
    if (route === undefined) return void response.writeHead(404).end();
    readBody(request, bodyBytesMax).then(
      (text) => route(text === "" ? {} : JSON.parse(text), response),
      () => response.destroy(),
    );
  });
  return {
    url: await listen(server),
    active: () => active,
    async close() {
      server.closeAllConnections();
      server.close();
      await vocabulary.close();
    },
  };
}

function createAnswers(script: ScriptOfTools, vocabulary: ServerVocabulary) {
  const begun: Begun[] = [];
  return {
    /** Returns what is left of the answer to a prompt. */
    of({ prompt: asked }: Completion): Pick<Begun, "tokens" | "isHeld"> {
      const earlier = begun.findLast((each) => continues(asked, each));
      if (earlier !== undefined)
        return { ...earlier, tokens: earlier.tokens.slice(asked.length - earlier.prompt.length) };
      const { text, tools } = readPrompt(vocabulary.decode(asked));
      const tokens: number[] = [];
      let isHeld = false;
      for (const piece of writeAnswer(script(text, { tools }), tools)) {
        if (typeof piece !== "string") {
          isHeld = true;
          break;
        }
        tokens.push(...vocabulary.encode(piece, true));
      }
      const answer = { prompt: asked, tokens, isHeld };
      begun.push(answer);
      if (begun.length > begunMax) begun.shift();
      return answer;
    },
  };
}

function continues(asked: readonly number[], { prompt, tokens }: Begun): boolean {
  const written = asked.length - prompt.length;
  if (written <= 0 || written > tokens.length) return false;
  return asked.every((id, at) => id === (prompt[at] ?? tokens[at - prompt.length]));
}

function stream(
  { prompt, n_predict: tokensMax }: Completion,
  response: ServerResponse,
  { tokens, isHeld }: Pick<Begun, "tokens" | "isHeld">,
  vocabulary: ServerVocabulary,
): void {
  startStream(response);
  const send = (frame: object): void => void response.write(`data: ${JSON.stringify(frame)}\n\n`);
  const counts = { tokens_evaluated: prompt.length };
  send({ stop: false, tokens: [], content: "", ...counts, prompt_progress: { cache: 0 } });
  const sent = tokens.slice(0, Math.max(0, tokensMax));
  for (let at = 0; at < sent.length; at += tokensPerFrame) {
    const ids = sent.slice(at, at + tokensPerFrame);
    const predicted = at + ids.length;
    send({
      stop: false,
      tokens: ids,
      content: vocabulary.decode(ids),
      tokens_predicted: predicted,
      ...counts,
    });
  }
  const isCut = sent.length < tokens.length;
  if (isHeld && !isCut) return;
  const stop_type = isCut ? "limit" : "eos";
  send({ stop: true, stop_type, tokens: [], content: "", tokens_predicted: sent.length, ...counts });
  response.end();
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

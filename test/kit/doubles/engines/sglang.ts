/** The routes of SGLang that are used, with frames as python/sglang/srt/managers/tokenizer_manager.py (0.5 and later) writes them. */
import type { AskedSegment, Protocol } from "./double.js";
import { embeddingsAnswer } from "./embeddings.js";

/** @param isWhole whether each frame has all tokens so far, as by default */
export function sglangProtocol(modelName: string, isWhole: boolean, contextTokens = 512): Protocol {
  return {
    path: "/generate",
    asked: (body): AskedSegment => ({
      prompt: body["input_ids"] as number[],
      grammar: (body["sampling_params"] as { readonly ebnf?: string }).ebnf ?? null,
      body,
    }),
    *events({ prompt, body }, { frames, finish, read = prompt }) {
      const all: number[] = [];
      for (const [at, ids] of frames.entries()) {
        all.push(...ids);
        const shown = isWhole ? [...all] : ids;
        const isLast = at === frames.length - 1;
        const logprobs =
          body["return_logprob"] !== true
            ? {}
            : {
                output_token_logprobs: shown.map((id) => [-0.25, id, null]),
                output_top_logprobs: shown.map((id) => [
                  [-0.25, id, null],
                  [-2, id + 1, null],
                ]),
              };
        yield JSON.stringify({
          text: "",
          output_ids: shown,
          meta_info: {
            id: "1",
            finish_reason: isLast
              ? { type: finish, ...(finish === "stop" ? { matched: 0 } : { length: all.length }) }
              : null,
            prompt_tokens: read.length,
            completion_tokens: all.length,
            cached_tokens: 3,
            ...logprobs,
          },
        });
      }
    },
    errorEvent: (message) => JSON.stringify({ error: { message, type: "InternalServerError", code: 500 } }),
    other(path, body, tokenize) {
      if (path === "/v1/models")
        return { object: "list", data: [{ id: modelName, object: "model", max_model_len: contextTokens }] };
      if (path === "/v1/embeddings") return embeddingsAnswer(body, false);
      if (path !== "/tokenize" || body["model"] !== modelName) return null;
      const tokens = tokenize(String(body["prompt"]));
      return { tokens, count: tokens.length, max_model_len: contextTokens };
    },
  };
}

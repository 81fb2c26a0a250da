/** The routes of vLLM that are used, with frames as vllm/entrypoints/openai/completion/serving.py (0.11 and later) writes them. */
import type { AskedSegment, Protocol } from "./double.js";
import { embeddingsAnswer } from "./embeddings.js";

/** @param modelName that it serves */
export function vllmProtocol(modelName: string, contextTokens = 512): Protocol {
  return {
    path: "/v1/completions",
    asked: (body): AskedSegment => ({
      prompt: body["prompt"] as number[],
      grammar: (body["structured_outputs"] as { readonly grammar: string } | undefined)?.grammar ?? null,
      body,
    }),
    *events({ prompt, body }, { frames, finish, read = prompt }) {
      const common = { id: "cmpl-1", object: "text_completion", created: 1, model: modelName };
      let tokens = 0;
      for (const [at, ids] of frames.entries()) {
        tokens += ids.length;
        const isLast = at === frames.length - 1;
        const choice = {
          index: 0,
          text: "",
          logprobs: body["logprobs"] === undefined ? null : logprobsOf(ids),
          finish_reason: isLast ? finish : null,
          stop_reason: null,
          prompt_token_ids: at === 0 ? read : null,
          token_ids: ids,
        };
        yield JSON.stringify({ ...common, choices: [choice] });
      }
      const usage = {
        prompt_tokens: prompt.length,
        completion_tokens: tokens,
        total_tokens: prompt.length + tokens,
      };
      yield JSON.stringify({ ...common, choices: [], usage });
    },
    errorEvent: (message) =>
      JSON.stringify({ error: { message, type: "InternalServerError", param: null, code: 500 } }),
    other(path, body, tokenize) {
      if (path === "/v1/models")
        return { object: "list", data: [{ id: modelName, object: "model", max_model_len: contextTokens }] };
      if (path === "/metrics")
        return 'vllm:num_requests_running{engine="0",model_name="m"} 0.0\nvllm:num_requests_waiting{engine="0",model_name="m"} 0.0\n';
      if (path === "/v1/embeddings") return embeddingsAnswer(body, true);
      if (path !== "/tokenize" || body["model"] !== modelName || body["add_special_tokens"] !== false)
        return null;
      const tokens = tokenize(String(body["prompt"]));
      return { count: tokens.length, max_model_len: contextTokens, tokens };
    },
  };
}

function logprobsOf(ids: readonly number[]) {
  return {
    text_offset: ids.map(() => 0),
    tokens: ids.map((id) => `token_id:${id}`),
    token_logprobs: ids.map(() => -0.25),
    top_logprobs: ids.map((id) => ({ [`token_id:${id}`]: -0.25, [`token_id:${id + 1}`]: -2 })),
  };
}

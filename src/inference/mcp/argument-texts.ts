/** Sends the arguments of calls as they are written: the SDK takes values, and these do not keep every number. */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { mayRoundNumbers, writeJson } from "../../core/json/member-texts.js";
import { CallContext } from "./call-context.js";

export type ArgumentTexts = ReturnType<typeof createArgumentTexts>;

export function createArgumentTexts() {
  const current = new CallContext<string>();
  return {
    /** Does the work of a call with these arguments. @param json JSON text of an object. */
    during: <T>(json: string, work: () => Promise<T>): Promise<T> =>
      mayRoundNumbers(json) ? current.during(json, work) : work(),
    /** Returns the `fetch` that sends the text of the call for which it is used. */
    wrap:
      (fetch: FetchLike): FetchLike =>
      (url, init) => {
        const json = current.get();
        const body = init?.body;
        if (json === undefined || typeof body !== "string") return fetch(url, init);
        return fetch(url, { ...init, body: withArguments(body, json) });
      },
  };
}

/** Returns a message with other arguments, if it is a call. */
function withArguments(body: string, json: string): string {
  const message = JSON.parse(body) as { readonly params?: { readonly arguments?: unknown } };
  const given = message.params?.arguments;
  return typeof given === "object" && given !== null ? writeJson(message, new Map([[given, json]])) : body;
}

/**
 * The stations of limits on a request's way: one for whoever has a key, one where a model is asked. Each tells in the answer's
 * headers what is left, let in or not; what is counted is accounts/rate-limits.ts's.
 */
import { unlimited, type Admittance, type RequestAdmittance } from "../../accounts/limits/rate-limits.js";
import type { Principal } from "../../accounts/keys/api-key.js";
import type { GenerationRequest } from "../../core/generation.js";
import type { Admission } from "../../core/limits.js";
import { noUsage } from "../../core/usage.js";
import { rateLimitHeaders } from "../../dialects/rate-limit-headers.js";
import type { Context } from "../context.js";
import type { HttpDeps } from "../deps.js";
import type { Call, Route } from "../route.js";

type LimitDeps = Pick<HttpDeps, "rateLimits" | "clock">;

/** Counts a request of a key. @throws HearthError `rate_limited`. */
export function limitRequest(
  deps: LimitDeps,
  ctx: Context,
  route: Route,
  principal: Principal,
): RequestAdmittance {
  const admittance = deps.rateLimits.admitRequest(principal);
  tell(deps, ctx, route, admittance);
  return admittance;
}

/**
 * Counts what is asked of a model, which is then to be settled.
 * @param prompt what it is to answer, or a text whose tokens are asked for. @throws HearthError `rate_limited`.
 */
export async function limitWork(
  deps: LimitDeps & Pick<HttpDeps, "models" | "hostedTokenizer">,
  { ctx, route, admittance: request }: Call,
  name: string,
  prompt: GenerationRequest | string,
): Promise<Admission> {
  const model = deps.models.find(name)?.manifest.id ?? name;
  const isHosted = typeof prompt === "string" && deps.hostedTokenizer.knows(name);
  // There are endlessly many names of nothing; they are refused in a moment.
  if (deps.models.find(name) === null && !isHosted) return unlimited;
  const admittance = await deps.rateLimits.admitWork(request, model, prompt);
  tell(deps, ctx, route, admittance);
  return admittance.admission;
}

/** Work of a model that is over when its tokens are told; those are what it took. */
export async function settling<Told>(
  admission: Admission,
  work: () => Promise<Told>,
  tokensOf: (told: Told) => number,
): Promise<Told> {
  let promptTokens = 0;
  try {
    const told = await work();
    promptTokens = tokensOf(told);
    return told;
  } finally {
    admission.settle({ ...noUsage, promptTokens });
  }
}

/** Work that is put off, kept under the id that it is taken up by; of what is not taken, nothing stays counted. */
export async function puttingOff(
  { rateLimits }: LimitDeps,
  admission: Admission,
  id: string,
  put: () => Promise<void>,
): Promise<void> {
  rateLimits.putOff(id, admission);
  try {
    await put();
  } catch (thrown) {
    admission.settle(noUsage);
    throw thrown;
  }
}

/** @throws HearthError `rate_limited`. */
function tell(
  { clock }: LimitDeps,
  ctx: Context,
  { errors }: Route,
  { standings, refusal }: Admittance,
): void {
  ctx.set({ ...rateLimitHeaders(standings, errors, clock.now()) });
  if (refusal !== null) throw refusal;
}

/** Starts the runs of admitted requests. What reads a run is the client (http), the queue of jobs, or a batch. */
import { atPercent } from "../core/model.js";
import type { TextRun } from "../inference/run/text/text-run.js";
import type { RunContext } from "../inference/run/run-context.js";
import { usableModel } from "../inference/usable-model.js";
import type { Admitted } from "./admit.js";
import type { AnswerContext } from "./context.js";
import type { Presenter, ReadRequest, ReadyRequest, TextEndpoint } from "./endpoint.js";

/** What an answer has besides its request. */
interface AnswerSettings {
  /** The id of the answer. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createTime: number;
  /** What the run is charged, in percent of the model's prices; absent: 100. */
  readonly pricePercent?: number;
}

/** An answer whose run has not begun. */
interface Answer<Shown extends Presenter> {
  readonly presenter: Shown;
  /** Starts the run. @throws HearthError why it cannot start; nothing is held then. */
  start(context?: Partial<RunContext>): TextRun;
}

/** Prepares the answer to an admitted request. @throws HearthError why its model cannot be used; nothing is held then. */
export function prepareAnswer<Read extends ReadRequest, Ready extends ReadyRequest, Shown extends Presenter>(
  app: AnswerContext,
  endpoint: TextEndpoint<Read, Ready, Shown>,
  { asking, ready, reservation }: Admitted<Ready>,
  { id, createTime, pricePercent = 100 }: AnswerSettings,
): Answer<Shown> {
  const { principal, requestId, route } = asking;
  const { request, stream, keepAliveMs, serverTools, allowedCalls } = ready;
  let run: TextRun | null = null;
  const timings = () => {
    if (run === null) throw new Error("the run has not begun");
    return run.timings;
  };
  try {
    const model = atPercent(usableModel(app.models, request.model), pricePercent);
    const identity = { id, createTime, model, modelName: request.model, principal, requestId, timings };
    const presenter = endpoint.present(ready, identity, app);
    return {
      presenter,
      start(context = {}) {
        try {
          run = app.generator.start(request, {
            principal,
            requestId,
            endpoint: route.path,
            streamed: stream,
            tokenReservation: reservation,
            pricePercent,
            keepAliveMs,
            serverTools: serverTools ?? [],
            allowedCalls: allowedCalls ?? [],
            recorder: presenter.recorder,
            ...context,
          });
        } catch (thrown) {
          // The generator has given the tokens back.
          ready.close?.();
          throw thrown;
        }
        void run.finished.then(() => ready.close?.());
        return run;
      },
    };
  } catch (thrown) {
    asking.release(reservation);
    ready.close?.();
    throw thrown;
  }
}

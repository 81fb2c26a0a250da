import type { AppContext } from "../../server/app-context.js";
import { noSuchPath } from "../../server/no-such-path.js";
import type { OperatorRoute } from "../../server/route.js";

/** Stops the server: answers in flight end within the grace time, and this one is one of them. */
export const stopServer: OperatorRoute<AppContext> = {
  method: "POST",
  path: "/operator/stop",
  handle({ ctx }, { requestStop }) {
    if (requestStop === undefined) throw noSuchPath();
    ctx.body = requestStop();
  },
};

import type { JSX } from "preact";
import { listKeyModels } from "../../api/access.js";
import { pageHref } from "../../lib/location.js";
import { useResource } from "../../lib/resource.js";
import { useIsOperator, useSignedIn } from "../../session.js";
import { Copyable } from "../../parts/copyable.js";

/** What to do on a server that no program uses yet. */
export function NextSteps(): JSX.Element {
  const { team } = useSignedIn();
  const teamId = team?.teamId;
  const models = useResource(
    (signal) => (teamId === undefined ? Promise.resolve([]) : listKeyModels(teamId, signal)),
    [teamId],
  );
  const isOperator = useIsOperator();
  return (
    <section class="panel" aria-label="Next steps">
      <h2>No request today: next steps</h2>
      <ol class="steps">
        <li>
          <a href={pageHref("keys")}>Create an API key</a> for your program.
        </li>
        <li>
          <p>
            Send a request. Clients of OpenAI take the address <code>{location.origin}/v1</code>.
          </p>
          {models.value !== null && (
            <Copyable label="Command of a first request" text={commandOf(models.value[0])} />
          )}
        </li>
        <li>
          <a href={pageHref("models")}>{isOperator ? "Add a model" : "See the models"}</a>
          {isOperator ? " from the hub: those that are built in are small." : " that you may use."}
        </li>
        <li>
          Or try them in the <a href={pageHref("playground")}>playground</a>, without a key.
        </li>
      </ol>
    </section>
  );
}

function commandOf(model = "MODEL"): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `curl ${location.origin}/v1/chat/completions`,
    `-H "Authorization: Bearer YOUR_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(" ");
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { countText, durationText, plural, indentedJson } from "../../../lib/format.js";
import { TextArea } from "../../../parts/field.js";
import { ErrorBox } from "../../../parts/page.js";
import { CopyButton } from "../../../parts/text.js";
import { Markdown } from "../markdown/markdown.js";
import { regenerate, sendResults } from "../conversation.js";
import { firstTokenMs, decodingSpeed, type AnswerTurn, type ModelCall } from "./turn.js";

interface AnswerProps {
  readonly turn: AnswerTurn;
  readonly isLast: boolean;
}

/** An answer of a model: its reasoning, text and calls, then what it took. */
export function AnswerView({ turn, isLast }: AnswerProps): JSX.Element {
  const { text, reasoning, calls, state, error } = turn;
  const isWaiting = state === "running" && text === "" && reasoning === "" && calls.length === 0;
  return (
    <article class="turn assistant" aria-label={`Answer of ${turn.model}`}>
      <h3>{turn.model}</h3>
      {reasoning !== "" && <Reasoning turn={turn} />}
      {isWaiting && <p class="hint waiting">Waiting for the first token …</p>}
      {text !== "" && <Markdown text={text} isGrowing={state === "running"} />}
      {calls.map((call) => (
        <CallView key={call.id} call={call} />
      ))}
      {isLast && state === "done" && calls.length > 0 && <Results calls={calls} />}
      {state === "stopped" && <p class="hint">Stopped.</p>}
      {turn.isCut && <p class="hint">The answer reached its maximum length.</p>}
      {error !== null && <ErrorBox error={error} onRetry={isLast ? regenerate : undefined} />}
      {state !== "running" && (
        <footer>
          <FiguresLine turn={turn} />
          {text !== "" && <CopyButton text={text}>Copy text</CopyButton>}
          {isLast && error === null && (
            <button type="button" onClick={regenerate}>
              Regenerate
            </button>
          )}
        </footer>
      )}
    </article>
  );
}

function Reasoning({ turn: { reasoning, text, state } }: { readonly turn: AnswerTurn }): JSX.Element {
  const isGoingOn = state === "running" && text === "";
  return (
    <details class="reasoning">
      <summary>{isGoingOn ? "Reasoning …" : "Reasoning"}</summary>
      <p>{reasoning}</p>
    </details>
  );
}

function CallView({ call }: { readonly call: ModelCall }): JSX.Element {
  return (
    <div class="call">
      <p>
        Calls <code>{call.name}</code> with
      </p>
      <pre tabIndex={0}>{indentedJson(call.arguments)}</pre>
    </div>
  );
}

/** Asks for what the calls have returned. */
function Results({ calls }: { readonly calls: readonly ModelCall[] }): JSX.Element {
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ""));
  const submit = (event: Event): void => {
    event.preventDefault();
    sendResults(texts);
  };
  return (
    <form class="results" onSubmit={submit}>
      {calls.map(({ id, name }, index) => (
        <TextArea
          key={id}
          label={`Result of ${name}`}
          hint="Text or JSON, as your program would return it."
          isCode
          rows={2}
          value={texts[index] ?? ""}
          onValue={(text) => setTexts(texts.with(index, text))}
        />
      ))}
      <footer>
        <button type="submit" class="primary">
          {calls.length === 1 ? "Send result" : "Send results"}
        </button>
      </footer>
    </form>
  );
}

/** Says how many tokens the answer took, and how fast it came. */
function FiguresLine({ turn: { figures } }: { readonly turn: AnswerTurn }): JSX.Element {
  const first = firstTokenMs(figures);
  const rate = decodingSpeed(figures);
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = figures;
  const parts = [
    promptTokens === null
      ? null
      : `${plural(promptTokens, "prompt token")} (${countText(cachedTokens)} cached)`,
    promptTokens === null ? null : plural(completionTokens, "completion token"),
    reasoningTokens === 0 ? null : plural(reasoningTokens, "reasoning token"),
    first === null ? null : `first token after ${durationText(first)}`,
    rate === null ? null : `${countText(rate)} tokens/s`,
  ];
  return <p class="figures">{parts.filter((part) => part !== null).join(" · ")}</p>;
}

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Empty, ErrorBox } from "../../../parts/page.js";
import {
  type PlaygroundTurn,
  type ResultTurn,
  type UserTurn,
  firstTokenMs,
  decodingSpeed,
  type AnswerTurn,
  type ModelCall,
} from "./turn.js";
import { edit, regenerate, sendResults } from "../conversation.js";
import { countText, durationText, plural, indentedJson } from "../../../lib/format.js";
import { TextArea } from "../../../parts/field.js";
import { CopyButton } from "../../../parts/text.js";
import { Markdown } from "../markdown/markdown.js";

/** Nearer to the end than this, the thread follows what is added. */
const followPixels = 48;

interface ThreadProps {
  readonly turns: readonly PlaygroundTurn[];
  readonly isRunning: boolean;
}

/** The messages and answers. It scrolls along with a growing answer, unless the member has scrolled up. */
export function Thread({ turns, isRunning }: ThreadProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const lastUser = turns.findLast(({ role }) => role === "user");
  useEffect(() => {
    const [outer, inner] = [box.current, content.current];
    if (outer === null || inner === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) outer.scrollTop = outer.scrollHeight;
    });
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    // Who sends a message wants to see it.
    isFollowing.current = true;
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [turns.length, turns.at(-1)?.id]);
  const scrolled = (): void => {
    if (box.current === null) return;
    const { scrollHeight, scrollTop, clientHeight } = box.current;
    // What was added since the thread was scrolled to its end is no reason to stop.
    if (scrollTop < lastTop.current) isFollowing.current = false;
    if (scrollHeight - scrollTop - clientHeight < followPixels) isFollowing.current = true;
    lastTop.current = scrollTop;
  };
  return (
    <div
      ref={box}
      class="thread"
      role="log"
      aria-label="Conversation"
      aria-busy={isRunning}
      tabIndex={0}
      onScroll={scrolled}
    >
      <div ref={content}>
        {turns.length === 0 && <NoTurns />}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} isLast={turn === turns.at(-1)} canEdit={turn === lastUser} />
        ))}
      </div>
    </div>
  );
}

interface TurnViewProps {
  readonly turn: PlaygroundTurn;
  readonly isLast: boolean;
  readonly canEdit: boolean;
}

/** Renders again only if its turn changes, so that a long conversation costs nothing while an answer grows. */
function TurnView({ turn, isLast, canEdit }: TurnViewProps): JSX.Element {
  return useMemo(() => {
    if (turn.role === "user") return <UserMessage turn={turn} canEdit={canEdit} />;
    if (turn.role === "tool") return <ResultMessage turn={turn} />;
    return <AnswerView turn={turn} isLast={isLast} />;
  }, [turn, isLast, canEdit]);
}

function NoTurns(): JSX.Element {
  return (
    <Empty title="Try a model">
      <p>
        Write a message below. You can add images or sounds, tools and a response schema, and copy the request
        as code.
      </p>
    </Empty>
  );
}

interface UserMessageProps {
  readonly turn: UserTurn;
  /** Whether it can be changed: the last one can. */
  readonly canEdit: boolean;
}

/** A message of the member. */
function UserMessage({ turn, canEdit }: UserMessageProps): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  return (
    <article class="turn user" aria-label="Your message">
      {turn.files.length > 0 && (
        <div class="pictures">
          {turn.files.map(({ kind, name, url }) =>
            kind === "image" ? (
              <img key={url} src={url} alt={name} title={name} />
            ) : (
              <audio key={url} src={url} controls aria-label={name} title={name} />
            ),
          )}
        </div>
      )}
      {isEditing ? (
        <EditForm turn={turn} onClose={() => setEditing(false)} />
      ) : (
        <>
          {turn.text !== "" && <p>{turn.text}</p>}
          {canEdit && (
            <footer>
              <button type="button" onClick={() => setEditing(true)}>
                Edit
              </button>
            </footer>
          )}
        </>
      )}
    </article>
  );
}

interface EditFormProps {
  readonly turn: UserTurn;
  readonly onClose: () => void;
}

function EditForm({ turn, onClose }: EditFormProps): JSX.Element {
  const [text, setText] = useState(turn.text);
  const isEmpty = text.trim() === "" && turn.files.length === 0;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isEmpty) edit(turn.id, text);
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    if (event.key === "Escape") onClose();
  };
  return (
    <form onSubmit={submit}>
      <textarea
        aria-label="Edited message"
        rows={3}
        autofocus
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isEmpty}>
          Send again
        </button>
      </footer>
    </form>
  );
}

/** The result of a call, which the member has entered. */
function ResultMessage({ turn }: { readonly turn: ResultTurn }): JSX.Element {
  return (
    <article class="turn user" aria-label={`Result of ${turn.name}`}>
      <h3>
        Result of <code>{turn.name}</code>
      </h3>
      <pre tabIndex={0}>{turn.text}</pre>
    </article>
  );
}

interface AnswerProps {
  readonly turn: AnswerTurn;
  readonly isLast: boolean;
}

/** An answer of a model: its reasoning, text and calls, then what it took. */
function AnswerView({ turn, isLast }: AnswerProps): JSX.Element {
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

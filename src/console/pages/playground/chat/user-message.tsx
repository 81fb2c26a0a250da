import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { edit } from "../conversation.js";
import type { ResultTurn, UserTurn } from "./turn.js";

interface UserMessageProps {
  readonly turn: UserTurn;
  /** Whether it can be changed: the last one can. */
  readonly canEdit: boolean;
}

/** A message of the member. */
export function UserMessage({ turn, canEdit }: UserMessageProps): JSX.Element {
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
export function ResultMessage({ turn }: { readonly turn: ResultTurn }): JSX.Element {
  return (
    <article class="turn user" aria-label={`Result of ${turn.name}`}>
      <h3>
        Result of <code>{turn.name}</code>
      </h3>
      <pre tabIndex={0}>{turn.text}</pre>
    </article>
  );
}

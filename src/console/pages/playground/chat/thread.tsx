import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Empty } from "../../../parts/page.js";
import { AnswerView } from "./answer.js";
import type { PlaygroundTurn } from "./turn.js";
import { ResultMessage, UserMessage } from "./user-message.js";

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

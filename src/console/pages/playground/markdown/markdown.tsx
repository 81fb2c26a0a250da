import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { elapsed } from "../../../lib/clock.js";
import { createBlockReader, type Block } from "./blocks.js";
import { markdownOptions, renderBlock } from "./render.js";

/** A text that grows is rendered during at most this part of the time. */
const shareMax = 0.2;
/** So many characters are added at once at most, so that a long text leaves the page responsive. */
const charsPerStep = 2000;

interface MarkdownProps {
  /** It may become longer, but never another text. */
  readonly text: string;
  /** Whether more text is coming. */
  readonly isGrowing: boolean;
}

/** A text in Markdown. While it grows, only the blocks that change are rendered again. */
export function Markdown({ text, isGrowing }: MarkdownProps): JSX.Element {
  const reader = useMemo(() => createBlockReader(markdownOptions), []);
  const blocks = reader.read(text.slice(0, useShownEnd(text.length, isGrowing)));
  return (
    <div class="markdown">
      {blocks.map((block) => (
        <BlockView key={block.start} block={block} />
      ))}
    </div>
  );
}

/** Returns how many characters to show now. They become `length`, step by step. */
function useShownEnd(length: number, isGrowing: boolean): number {
  const [reached, setReached] = useState(() => Math.min(length, charsPerStep));
  const startedAt = elapsed();
  const last = useRef({ at: -Infinity, ms: 0 });
  const next = Math.min(length, reached + charsPerStep);
  // The end of a complete text is shown without delay.
  const end = isGrowing ? reached : next;
  useLayoutEffect(() => {
    const at = elapsed();
    last.current = { at, ms: at - startedAt };
  }, [end]);
  useEffect(() => {
    if (end === length) return undefined;
    const { at, ms } = last.current;
    const pauseMs = isGrowing ? at + ms / shareMax - elapsed() : 0;
    const timer = setTimeout(() => setReached(next), Math.max(0, pauseMs));
    return () => clearTimeout(timer);
  }, [end, next, length, isGrowing]);
  return end;
}

function BlockView({ block }: { readonly block: Block }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(renderBlock(block.token)), [block]);
  return <div ref={element} />;
}

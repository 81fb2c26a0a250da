import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { elapsed } from "../../../lib/clock.js";
import { createBlockReader, type Block } from "./blocks.js";
import { markdownOptions, renderBlock } from "./render.js";

/** A text that grows is rendered during at most this part of the time. */
const shareMax = 0.2;

interface MarkdownProps {
  readonly text: string;
  /** Whether more text is coming. */
  readonly isGrowing: boolean;
}

/** A text in Markdown. While it grows, only the blocks that change are rendered again. */
export function Markdown({ text, isGrowing }: MarkdownProps): JSX.Element {
  const reader = useMemo(() => createBlockReader(markdownOptions), []);
  const [shown, setShown] = useState(text);
  const renderedAt = useRef({ at: -Infinity, ms: 0 });
  const startedAt = elapsed();
  const blocks = reader.read(isGrowing ? shown : text);
  useEffect(() => {
    if (!isGrowing || text === shown) return undefined;
    const { at, ms } = renderedAt.current;
    const timer = setTimeout(() => setShown(text), Math.max(0, at + ms / shareMax - elapsed()));
    return () => clearTimeout(timer);
  }, [text, shown, isGrowing]);
  useLayoutEffect(() => {
    const at = elapsed();
    renderedAt.current = { at, ms: at - startedAt };
  }, [shown]);
  return (
    <div class="markdown">
      {blocks.map((block) => (
        <BlockView key={block.start} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(renderBlock(block.token)), [block]);
  return <div ref={element} />;
}

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A pause in typing after which the search begins. */
const pauseMs = 250;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  /** Called when the member pauses. */
  readonly onSearch: (text: string) => void;
}

/** The search of a page; `/` moves to it. */
export function SearchField({ label, value, onSearch }: SearchFieldProps): JSX.Element {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onSearch(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${label} ( / )`}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

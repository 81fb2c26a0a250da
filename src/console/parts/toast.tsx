/** Short messages about what has just happened. They go away by themselves; screen readers read them out. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const shownMs = 6000;
const toastsMax = 4;
const listeners = new Set<(toasts: readonly Toast[]) => void>();
let toasts: readonly Toast[] = [];
let nextId = 1;

/** Shows a message. */
export function showToast(text: string, isError = false): void {
  const toast = { id: nextId++, text, isError };
  update([...toasts, toast].slice(-toastsMax));
  setTimeout(() => update(toasts.filter(({ id }) => id !== toast.id)), shownMs);
}

/** Shows why something failed; for the end of a promise. */
export function showError(thrown: unknown): void {
  showToast(thrown instanceof Error ? thrown.message : String(thrown), true);
}

/** The place of the messages. */
export function ToastArea(): JSX.Element {
  const [shown, setShown] = useState(toasts);
  useEffect(() => {
    listeners.add(setShown);
    return () => void listeners.delete(setShown);
  }, []);
  return (
    <div class="toasts" role="status">
      {shown.map(({ id, text, isError }) => (
        <p key={id} class={isError ? "toast error" : "toast"}>
          {text}
        </p>
      ))}
    </div>
  );
}

function update(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener(toasts);
}

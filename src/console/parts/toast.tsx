/** Short messages about what has just happened. They go away by themselves; screen readers read them out. */
import type { JSX } from "preact";
import { createStore, useStore } from "../lib/store.js";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const shownMs = 6000;
const toastsMax = 4;
const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;

/** Shows a message. */
export function showToast(text: string, isError = false): void {
  const toast = { id: nextId++, text, isError };
  toasts.set([...toasts.get(), toast].slice(-toastsMax));
  setTimeout(() => toasts.set(toasts.get().filter(({ id }) => id !== toast.id)), shownMs);
}

/** Shows why something failed; for the end of a promise. */
export function showError(thrown: unknown): void {
  showToast(thrown instanceof Error ? thrown.message : String(thrown), true);
}

/** The place of the messages. */
export function ToastArea(): JSX.Element {
  return (
    <div class="toasts" role="status">
      {useStore(toasts).map(({ id, text, isError }) => (
        <p key={id} class={isError ? "toast error" : "toast"}>
          {text}
        </p>
      ))}
    </div>
  );
}

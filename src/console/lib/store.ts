/** State that outlives the components that show it: it stays while the member opens other pages. */
import { useEffect, useState } from "preact/hooks";

interface Store<State> {
  get(): State;
  /** Replaces the state, and renders again what shows it. */
  set(state: State): void;
  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void;
}

/** Creates a store. */
export function createStore<State>(initial: State): Store<State> {
  const listeners = new Set<() => void>();
  let current = initial;
  return {
    get: () => current,
    set(state) {
      current = state;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the state now, and again whenever it changes. */
export function useStore<State>(store: Store<State>): State {
  const [state, setState] = useState(() => store.get());
  useEffect(() => {
    const update = (): void => setState(() => store.get());
    // It may have changed between the first rendering and now.
    update();
    return store.subscribe(update);
  }, [store]);
  return state;
}

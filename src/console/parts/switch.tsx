import type { JSX } from "preact";

interface SwitchProps {
  /** What is on, for screen readers. */
  readonly label: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

/** A switch that says whether it is on. It changes when its owner changes `isOn`. */
export function Switch({ label, isOn, onToggle }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      onClick={onToggle}
    >
      <span class="switch-track" aria-hidden="true" />
      {isOn ? "On" : "Off"}
    </button>
  );
}

import type { JSX } from "preact";

/** Paths on a grid of 16, drawn as lines. */
const paths = {
  overview: "M2 9h5V2H2zM9 14h5V7H9zM2 14h5v-3H2zM9 5h5V2H9z",
  chat: "M2 3h12v8H7l-3 3v-3H2z",
  key: "M10.5 2a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM8 8l-6 6M4 12l2 2",
  usage: "M2 14V2M2 14h12M5 11V8M8 11V5M11 11V7",
  money: "M2 4h12v8H2zM8 6.5v3M4 6v0M12 10v0",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11zM6.5 14h3",
  models: "M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6",
  requests: "M2 4h12M2 8h12M2 12h7",
  jobs: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2 2",
  audit: "M4 2h6l3 3v9H4zM10 2v3h3M6 8h5M6 11h5",
  people:
    "M6 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM1.5 14c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5M11 3.5a2.2 2.2 0 0 1 0 4.3M12 9.8c1.6.5 2.5 2 2.5 4.2",
  groups: "M8 1.5 13.5 3.5v4c0 3.5-2.3 5.8-5.5 7-3.2-1.2-5.5-3.5-5.5-7v-4zM5.5 8l1.8 1.8L10.8 6",
  settings: "M2 4h7M12 4h2M9 2.5v3M2 12h2M7 12h7M7 10.5v3M2 8h8M13 8h1M10 6.5v3",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

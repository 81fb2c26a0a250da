import type { JSX } from "preact";
import type { LoggedRequest } from "../../api/requests.js";
import { durationText } from "../../lib/format.js";
import { speedText, timesOf } from "./describe.js";

/** The width of the drawing, in its own units. */
const width = 1000;
/** A part that took any time can be seen. */
const partMin = 4;

/** How long a request waited, its prompt was evaluated and its answer was generated: as a bar and in numbers. */
export function Timeline({ request }: { readonly request: LoggedRequest }): JSX.Element {
  const { queueMs, prefillMs, decodeMs, totalMs, tokensPerSecond } = timesOf(request);
  const parts = [
    { name: "queue", title: "Waiting", ms: queueMs },
    { name: "prefill", title: decodeMs === null && prefillMs !== null ? "Working" : "Prompt", ms: prefillMs },
    { name: "decode", title: "Answer", ms: decodeMs },
  ];
  const scale = width / Math.max(1, totalMs);
  let x = 0;
  return (
    <figure class="timeline">
      <svg viewBox={`0 0 ${width} 12`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, ms }) => {
          const length = ms === null || ms === 0 ? 0 : Math.max(partMin, ms * scale);
          const start = x;
          x += length;
          return <rect key={name} class={name} x={start} y={0} width={length} height={12} />;
        })}
      </svg>
      <dl>
        {parts.map(({ name, title, ms }) => (
          <div key={name}>
            <dt class={name}>{title}</dt>
            <dd>{ms === null ? "–" : durationText(ms)}</dd>
          </div>
        ))}
        <div>
          <dt>Together</dt>
          <dd>{durationText(totalMs)}</dd>
        </div>
        {tokensPerSecond !== null && (
          <div>
            <dt>Speed</dt>
            <dd>{speedText(tokensPerSecond)} tokens/s</dd>
          </div>
        )}
      </dl>
    </figure>
  );
}

import type { ComponentChildren, JSX } from "preact";
import type { Overview } from "../../../http/management/overview.js";
import { sizeText } from "../../../core/report/size-text.js";
import { compactText, countText, dollarsText } from "../../lib/format.js";
import { pageHref } from "../../lib/location.js";
import { useRole } from "../../session.js";

/** The seconds of which the speed now is the average. */
const nowSeconds = 5;

/** The numbers of the overview. */
export function OverviewFigures({ overview }: { readonly overview: Overview }): JSX.Element {
  const { running, waiting, today, memory, credits } = overview;
  const ofKeys = useRole("admin") ? "" : " by your keys";
  return (
    <div class="numbers">
      <Speed tokens={overview.tokensPerSecond} />
      <Figure title="Running now" value={countText(running)}>
        {waiting === 0 ? "none waits" : `${countText(waiting)} waiting for a slot`}
      </Figure>
      <Figure title={`Requests today${ofKeys}`} value={countText(today.requests)}>
        {today.failed === 0 ? (
          "none has failed"
        ) : (
          <span class="state bad">{countText(today.failed)} failed</span>
        )}
      </Figure>
      <Figure title={`Spent today${ofKeys}`} value={dollarsText(Number(today.usd))}>
        {compactText(today.tokens)} tokens
      </Figure>
      {credits.length > 0 && <Credit credits={credits} />}
      {memory !== null && (
        <Figure title="Memory" value={sizeText(memory.processBytes)}>
          of the server; models {sizeText(memory.modelBytes)}
          {memory.gpuBytes > 0 && `, on the GPU ${sizeText(memory.gpuBytes)}`}
        </Figure>
      )}
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  /** What the value does not say. */
  readonly children: ComponentChildren;
}

function Figure({ title, value, children }: FigureProps): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <p class="figure">{value}</p>
      <p class="hint">{children}</p>
    </section>
  );
}

function Speed({ tokens }: { readonly tokens: readonly number[] }): JSX.Element {
  const recent = tokens.slice(-nowSeconds).reduce((sum, each) => sum + each, 0) / nowSeconds;
  const most = Math.max(0, ...tokens);
  return (
    <section class="panel speed" aria-label="Tokens per second">
      <div>
        <h2>Tokens per second</h2>
        <p class="figure">{recent < 10 ? recent.toFixed(1) : countText(recent)}</p>
        <p class="hint">at most {countText(most)} in a second of the last minute</p>
      </div>
      <Sparkline values={tokens} />
    </section>
  );
}

/** The credit of a team, or of the teams with the least. */
function Credit({ credits }: { readonly credits: Overview["credits"] }): JSX.Element {
  const [least] = credits;
  const low = credits.filter(({ isLow }) => isLow).map(({ name }) => name);
  return (
    <Figure title="Credit left" value={dollarsText(Number(least?.usd ?? 0))}>
      {low.length === 0 ? (
        `of ${least?.name ?? "the team"}${credits.length > 1 ? ", which has the least" : ""}`
      ) : (
        <>
          <span class="state warn">low</span> {low.join(", ")}: <a href={pageHref("billing")}>add credit</a>
        </>
      )}
    </Figure>
  );
}

const height = 20;

/** A small line of numbers, from the oldest to the newest. The text beside it says what matters. */
function Sparkline({ values }: { readonly values: readonly number[] }): JSX.Element {
  const top = Math.max(1, ...values);
  const width = Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${at} ${(height - (value / top) * height).toFixed(2)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="base" d={`M0 ${height}H${width}`} />
      <path d={`M${points.join("L")}`} />
    </svg>
  );
}

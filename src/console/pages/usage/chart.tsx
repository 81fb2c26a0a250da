/** The chart of usage: stacked bars. It is a picture; the table below it has the same numbers. */
import type { JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { ChartMeasure, UsageUnit } from "../../api/usage.js";
import { compactText, dollarsText } from "../../lib/format.js";
import { ticksPerUsd } from "../../lib/money.js";
import { shortUnitText, unitText } from "./range.js";
import { readAmount, amountText, noSums, type ChartGroup } from "./sums.js";

/** As many as there are colours. */
export const chartGroupsMax = 6;

const heightPx = 260;
const labelPx = 100;
const tipPx = 220;

interface ChartProps {
  /** The lowest bar first; at most `chartGroupsMax`. */
  readonly groups: readonly ChartGroup[];
  readonly unit: UsageUnit;
  readonly measure: ChartMeasure;
}

interface Pointed {
  readonly index: number;
  readonly isRight: boolean;
}

/** Draws the groups on top of each other, with a legend and what the pointer is at. */
export function Chart({ groups, unit, measure }: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  useChart(place, { groups, unit, measure }, setPointed);
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {groups.map(({ key, label }, at) => (
            <li key={key}>
              <span class={`swatch chart-${at + 1}`} />
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
      {pointed !== null && <Tip groups={groups} unit={unit} measure={measure} pointed={pointed} />}
    </figure>
  );
}

function Tip({
  groups,
  unit,
  measure,
  pointed,
}: ChartProps & { readonly pointed: Pointed }): JSX.Element | null {
  const time = groups[0]?.points[pointed.index]?.time;
  if (time === undefined) return null;
  const amounts = groups.map(({ points }) => readAmount(measure, points[pointed.index] ?? noSums));
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  return (
    <div class={pointed.isRight ? "tip" : "tip at-end"} aria-hidden="true">
      <strong>{unitText(unit, time)}</strong>
      <dl>
        {groups.map(({ key, label }, at) => [
          <dt key={key}>
            <span class={`swatch chart-${at + 1}`} />
            {label}
          </dt>,
          <dd key={`${key} amount`}>{amountText(measure, amounts[at] ?? 0n)}</dd>,
        ])}
        <dt>Total</dt>
        <dd>{amountText(measure, total)}</dd>
      </dl>
    </div>
  );
}

/** Draws the chart again when its data, its width or the colours change. */
function useChart(
  place: RefObject<HTMLDivElement | null>,
  { groups, unit, measure }: ChartProps,
  onPointed: (pointed: Pointed | null) => void,
): void {
  const [isDark, setDark] = useState(() => darkScheme().matches);
  useEffect(() => {
    const scheme = darkScheme();
    const update = (): void => setDark(scheme.matches);
    scheme.addEventListener("change", update);
    return () => scheme.removeEventListener("change", update);
  }, []);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const options = chartOptions(element, { groups, unit, measure }, onPointed);
    const plot = new uPlot(options, stacked(groups, measure), element);
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(1, element.clientWidth), height: heightPx }),
    );
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
      onPointed(null);
    };
  }, [groups, unit, measure, isDark]);
}

function darkScheme(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

function chartOptions(
  element: HTMLElement,
  { groups, unit, measure }: ChartProps,
  onPointed: (pointed: Pointed | null) => void,
): uPlot.Options {
  const times = groups[0]?.points.map(({ time }) => time) ?? [];
  const { color, borderTopColor: line } = getComputedStyle(element);
  const swatches = element.parentElement?.querySelectorAll(".legend .swatch") ?? [];
  const colors = [...swatches].map((swatch) => getComputedStyle(swatch).color);
  const lines = { stroke: color, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const point = ({ cursor, over }: uPlot): void => {
    const { idx, left = -1 } = cursor;
    const isIn = idx != null && left >= 0;
    onPointed(
      isIn ? { index: idx, isRight: left > Math.max(tipPx, over.clientWidth / 2) ? false : true } : null,
    );
  };
  return {
    width: Math.max(1, element.clientWidth),
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false, range: () => [-0.6, times.length - 0.4] }, y: { range: rangeFromZero } },
    axes: [
      {
        ...lines,
        grid: { show: false },
        size: 36,
        splits: (plot) => everyFew(times.length, Math.max(2, Math.floor(plot.width / labelPx))),
        values: (_, at) => at.map((index) => shortUnitText(unit, times[index] ?? 0)),
      },
      { ...lines, size: 72, values: (_, amounts) => amounts.map((amount) => axisText(measure, amount)) },
    ],
    series: [
      {},
      ...groups.map((_, at) => ({
        fill: colors[groups.length - 1 - at] ?? color,
        width: 0,
        points: { show: false },
        ...paths(),
      })),
    ],
    hooks: { setCursor: [point] },
  };
}

function paths(): uPlot.Series {
  const bars = uPlot.paths.bars?.({ size: [0.8, 64] });
  return bars === undefined ? {} : { paths: bars };
}

/** Returns the sums up to each group, the highest bar first, so that lower ones are drawn over it. */
function stacked(groups: readonly ChartGroup[], measure: ChartMeasure): uPlot.AlignedData {
  const count = groups[0]?.points.length ?? 0;
  let sums = Array.from({ length: count }, () => 0n);
  const layers = groups.map(({ points }) => {
    sums = sums.map((sum, at) => sum + readAmount(measure, points[at] ?? noSums));
    return sums.map((sum) => (measure === "usd" ? Number(sum) / ticksPerUsd : Number(sum)));
  });
  return [Array.from({ length: count }, (_, at) => at), ...layers.toReversed()];
}

function rangeFromZero(_: uPlot, __: number | null, max: number | null): [number, number] {
  return [0, max === null || max <= 0 ? 1 : max * 1.08];
}

function everyFew(count: number, max: number): number[] {
  const step = Math.max(1, Math.ceil(count / max));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}

function axisText(measure: ChartMeasure, amount: number): string {
  return measure === "usd" ? dollarsText(amount) : compactText(amount);
}

/** Bars and a line over time, by uPlot. The label has their sums, for readers who do not see them. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { clockTime, isUtc } from '../data/shown-times.ts';
import 'uplot/dist/uPlot.min.css';

interface Series {
  title: string;
  /** A property of the styles. */
  color: string;
  values: readonly number[];
}

interface ChartProps {
  label: string;
  /** Seconds since 1970, in order. */
  times: readonly number[];
  bars: Series;
  /** Before the bars, so that equal values are seen twice. */
  line: Series;
}

const HEIGHT = 170;
/** The times are minutes. */
const HALF_BAR_S = 30;
const bar = uPlot.paths.bars?.({ size: [0.7] });
const step = uPlot.paths.stepped?.({ align: 1 });

export function Chart({ label, times, bars, line }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, bars.values, line.values] as unknown as uPlot.AlignedData;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    // A canvas needs the color itself, of the scheme that is in effect.
    const color = (name: string) => {
      element.style.color = `var(${name})`;
      return getComputedStyle(element).color;
    };
    const axis = { stroke: () => color('--quiet'), ticks: { show: false } };
    const grid = { stroke: () => color('--line'), width: 1 };
    const points = { show: false };
    const seriesOptions = ({ title, color: colorName }: Series) => ({
      label: title,
      stroke: () => color(colorName),
      points,
    });
    const newPlot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: true, live: false },
        cursor: { y: false },
        scales: {
          x: { range: (_, first, last) => [first - HALF_BAR_S, last + HALF_BAR_S] },
          y: { range: (_, __, most) => [0, Math.max(1, most)] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_, at) => at.map((second) => clockTime(1_000 * second).slice(0, 5)),
          },
          { ...axis, grid, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] },
        ],
        series: [
          {},
          { ...seriesOptions(bars), width: 0, fill: () => color(bars.color), ...(bar && { paths: bar }) },
          { ...seriesOptions(line), width: 2, ...(step && { paths: step }) },
        ],
      },
      data,
      element,
    );
    plot.current = newPlot;
    const observer = new ResizeObserver(() => newPlot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => newPlot.redraw();
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      observer.disconnect();
      newPlot.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [times, bars, line, isUtc.value]);
  return <div class="chart" role="img" aria-label={label} ref={place} />;
}

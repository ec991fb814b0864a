/** Lines over time, by uPlot. The label has their sums, for readers who do not see them. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

interface ChartProps {
  label: string;
  /** Seconds since 1970, in order. */
  times: readonly number[];
  lines: readonly { title: string; color: string; values: readonly number[] }[];
}

const HEIGHT = 180;

export function Chart({ label, times, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    // A canvas needs the color itself, of the scheme that is in effect.
    const color = (name: string) => {
      element.style.color = `var(${name})`;
      return getComputedStyle(element).color;
    };
    const axis = { stroke: () => color('--quiet'), grid: { stroke: () => color('--line') } };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: true, live: false },
        cursor: { y: false },
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most)] } },
        axes: [axis, { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] }],
        series: [{}, ...lines.map(({ title, color: own }) => ({ label: title, stroke: () => color(own), width: 2 }))],
      },
      data,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => made.redraw();
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [times, lines]);
  return <div class="chart" role="img" aria-label={label} ref={place} />;
}

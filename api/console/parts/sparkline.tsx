/** The course of a number as a small line, beside the number. */

const [WIDTH, HEIGHT] = [100, 24];

export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const x = (index: number) => (values.length < 2 ? 0 : (index * WIDTH) / (values.length - 1));
  const points = values.map(
    (value, index) => `${x(index).toFixed(1)},${(HEIGHT - 1 - (value * (HEIGHT - 2)) / most).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}

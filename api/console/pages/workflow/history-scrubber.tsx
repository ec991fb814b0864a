/** Moves through the steps of a history: by a slider, its keys, buttons, and by itself. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface HistoryScrubberProps {
  /** Steps that have been taken. */
  count: number;
  of: number;
  choose: (count: number) => void;
}

/** ms between two steps that are played. */
const PLAY_MS = 700;

export function HistoryScrubber({ count, of, choose }: HistoryScrubberProps) {
  const isPlaying = useSignal(false);
  useEffect(() => {
    if (!isPlaying.value) return;
    const timer = setTimeout(() => {
      choose(count + 1);
      if (count + 1 >= of) isPlaying.value = false;
    }, PLAY_MS);
    return () => clearTimeout(timer);
  }, [isPlaying.value, count, of]);
  const button = (label: string, text: string, to: number) => (
    <button type="button" aria-label={label} disabled={to < 1 || to > of || to === count} onClick={() => choose(to)}>
      {text}
    </button>
  );
  const play = () => {
    if (!isPlaying.value && count >= of) choose(1);
    isPlaying.value = !isPlaying.value;
  };
  return (
    <div class="scrubber">
      {button('First step', '|◀', 1)}
      {button('Previous step', '◀', count - 1)}
      <button type="button" onClick={play}>
        {isPlaying.value ? 'Pause' : 'Play'}
      </button>
      {button('Next step', '▶', count + 1)}
      {button('Last step', '▶|', of)}
      <input
        type="range"
        aria-label="Step"
        aria-valuetext={`step ${count} of ${of}`}
        min={1}
        max={of}
        value={count}
        onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
      />
    </div>
  );
}

/** How wide the rows of a drawing may be. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** px */
const STEP = 100;
const LEAST = 340;
const EDGES = 40;

/** @returns px, in steps: a slightly wider window keeps the layout; undefined: the place is not in the document yet */
export function useRowWidth(place: RefObject<HTMLElement | null>): number | undefined {
  const width = useSignal<number | undefined>(undefined);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const measure = () => {
      width.value = Math.max(LEAST, Math.floor((element.clientWidth - EDGES) / STEP) * STEP);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width.value;
}

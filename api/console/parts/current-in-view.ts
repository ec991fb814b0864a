/** A row of items that may be wider than the window, and scrolls. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const SPACE = 16;

/** Scrolls the current item of the row into view. @param current another one scrolls again */
export function useCurrentInView<T extends HTMLElement>(current: string | undefined): RefObject<T | null> {
  const row = useRef<T>(null);
  useEffect(() => {
    const element = row.current;
    const item = element?.querySelector<HTMLElement>('[aria-current], [aria-selected="true"]');
    if (!element || !item) return;
    const [left, right] = [
      item.offsetLeft - element.offsetLeft,
      item.offsetLeft - element.offsetLeft + item.offsetWidth,
    ];
    if (left < element.scrollLeft || right > element.scrollLeft + element.clientWidth)
      element.scrollLeft = left - SPACE;
  }, [current]);
  return row;
}

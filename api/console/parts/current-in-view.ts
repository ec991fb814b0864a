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
    const [leftEdge, rightEdge] = [
      item.offsetLeft - element.offsetLeft,
      item.offsetLeft - element.offsetLeft + item.offsetWidth,
    ];
    if (leftEdge < element.scrollLeft || rightEdge > element.scrollLeft + element.clientWidth)
      element.scrollLeft = leftEdge - SPACE;
  }, [current]);
  return row;
}

/** Which part of a list is in view while the page scrolls. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** @param list whose rows scroll with the page @param isPresent whether it is in the document */
export function useListView(list: RefObject<HTMLElement | null>, isPresent: boolean) {
  const top = useSignal(0);
  const height = useSignal(innerHeight);
  /** The table is wider than its place, so that it scrolls sideways. */
  const isWider = useSignal(false);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const look = () => {
      const table = element.firstElementChild;
      top.value = Math.max(0, -element.getBoundingClientRect().top);
      height.value = innerHeight;
      isWider.value = table !== null && table.scrollWidth > element.clientWidth + 1;
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [isPresent]);
  return { top, height, isWider };
}

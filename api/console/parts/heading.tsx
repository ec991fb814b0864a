/** The heading of a page, which also names its tab, its entry in the history of the browser, and its place in the top bar. */
import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const CONSOLE = 'nodewright';

/** With the path of the page that it belongs to: a page without a heading yet is not named by the one before. */
export const shownTitle = signal({ path: '', text: '' });

/** The title of the part of the page that is shown; '' for a page without parts. */
const shownPart = signal('');

effect(() => {
  const { text } = shownTitle.value;
  const page = text === CONSOLE ? '' : text;
  const names = [page, shownPart.value === text ? '' : shownPart.value].filter((name) => name !== '');
  document.title = names.length === 0 ? CONSOLE : `${names.join(': ')} · ${CONSOLE}`;
});

/** Adds the title of a part to that of the page, while the part is shown. */
export function usePartTitle(title = ''): void {
  useEffect(() => {
    shownPart.value = title;
    return () => {
      shownPart.value = '';
    };
  }, [title]);
}

export function Heading({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const text = heading.current?.textContent?.trim().replace(/\s+/g, ' ') ?? '';
    if (shownTitle.peek().text !== text || shownTitle.peek().path !== location.pathname)
      shownTitle.value = { path: location.pathname, text };
  });
  return <h1 ref={heading}>{children}</h1>;
}

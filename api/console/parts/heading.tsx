/** The heading of a page, which also names its tab and its entry in the history of the browser. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Heading({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const text = heading.current?.textContent?.trim().replace(/\s+/g, ' ');
    document.title = text ? `${text} · nodewright` : 'nodewright';
  });
  return <h1 ref={heading}>{children}</h1>;
}

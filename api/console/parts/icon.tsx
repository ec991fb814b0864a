/** An icon beside a word, which says what it means. The build makes shapes of the files that are imported. */
import { h } from 'preact';

export type IconShapes = readonly (readonly [element: string, attributes: Record<string, string>])[];

/** @param at the corner within a drawing, in px; absent: it flows with the text */
export function Icon({ of, at }: { of: IconShapes; at?: { x: number; y: number } }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" {...(at && { ...at, width: SIZE, height: SIZE })}>
      {of.map(([element, attributes], index) => h(element, { key: index, ...attributes }))}
    </svg>
  );
}

const SIZE = 14;

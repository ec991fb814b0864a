/** A name and its value, in a list of facts. */
import type { ComponentChildren } from 'preact';

interface FactProps {
  name: string;
  /** Its text is longer than most. */
  isLong?: true;
  children: ComponentChildren;
}

export function Fact({ name, isLong, children }: FactProps) {
  return (
    <div class={isLong && 'long'}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

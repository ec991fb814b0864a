/** Shows what changes something also to users who may not change it: disabled, with the right that they lack. */
import type { ComponentChildren } from 'preact';
import { lackedRight } from '../data/current-user.ts';

type Right = Parameters<typeof lackedRight>;

interface NeedsRightProps {
  /** By default that of an operator's work. */
  group?: Right[0];
  method?: Right[1];
  children: ComponentChildren;
}

export function NeedsRight({ group = 'components', method = 'POST', children }: NeedsRightProps) {
  const reason = lackedRight(group, method);
  if (reason === undefined) return <>{children}</>;
  return (
    <fieldset class="without-right" disabled title={reason}>
      {children}
    </fieldset>
  );
}

/** A link to a page on which something is changed, or tried. */
export function LinkNeedingRight({ href, group = 'components', children }: NeedsRightProps & { href: string }) {
  const reason = lackedRight(group, 'POST');
  if (reason === undefined)
    return (
      <a class="button" href={href}>
        {children}
      </a>
    );
  return (
    <button type="button" disabled title={reason}>
      {children}
    </button>
  );
}

/** Shows what changes something also to users who may not change it: disabled, with the right that they lack. */
import type { ComponentChildren } from 'preact';
import { lackedRight } from '../data/current-user.ts';

type Right = Parameters<typeof lackedRight>;

interface NeedsRightProps {
  /** By default that of an operator's work. */
  group?: Right[0];
  method?: Right[1];
  /** The team of the record; null: the record belongs to the whole site; absent: to the team of any user who sees it. */
  owner?: Right[2];
  children: ComponentChildren;
}

export function NeedsRight({ group = 'components', method = 'POST', owner, children }: NeedsRightProps) {
  const reason = lackedRight(group, method, owner);
  if (reason === undefined) return <>{children}</>;
  return (
    <fieldset class="without-right" disabled title={reason}>
      {children}
    </fieldset>
  );
}

/** A link to a page on which something is changed, or tried. */
export function LinkNeedingRight({ href, group = 'components', owner, children }: NeedsRightProps & { href: string }) {
  const reason = lackedRight(group, 'POST', owner);
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

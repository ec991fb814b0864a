/**
 * A character that changes the direction of a text can make a name look like another one, and move the texts beside it. All
 * rendered texts contain an escape for it, as JSON does. Values of fields are not changed, because they are sent again.
 */
import { options, type VNode } from 'preact';

const TURNING = /\p{Bidi_Control}/gu;
const PROPS = ['title', 'aria-label'] as const;

const visibleText = (text: string): string =>
  text.replace(TURNING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Called once, before the first rendering. */
export function showTurningCharacters(): void {
  const { vnode: next } = options;
  options.vnode = (vnode) => {
    makeVisible(vnode);
    next?.(vnode);
  };
}

/** A text is a node without type whose props are the text. */
function makeVisible(vnode: Omit<VNode, 'type' | 'props'> & { type: unknown; props: unknown }): void {
  if (typeof vnode.props === 'string') vnode.props = visibleText(vnode.props);
  else if (typeof vnode.type === 'string') {
    const props = vnode.props as Record<string, unknown>;
    for (const name of PROPS) if (typeof props[name] === 'string') props[name] = visibleText(props[name]);
  }
}

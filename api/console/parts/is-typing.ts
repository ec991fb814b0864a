/** Whether a dialog is open, or the element is one that takes text: keys are for these, and the page must stay. */
export const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null);

/** The message of a cause, for people: where it has `<n>` or `<id>` for what differs, an ellipsis. */
export function causeText(message: string): string {
  const text = message.replaceAll(/(?:<(?:n|id)>[-.:TZ]*)+/g, '…');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

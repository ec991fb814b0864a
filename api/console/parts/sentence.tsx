/** A sentence of the daemon: what it has in backquotes is shown as code. */
export function Sentence({ text }: { text: string }) {
  const parts = text.split('`');
  // An odd number of backquotes quotes nothing.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, index) => (index % 2 === 0 ? part : <code key={`${index} ${part}`}>{part}</code>))}</>;
}

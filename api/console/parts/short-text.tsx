/** A text of any length in a cell: in short, with the whole on hover. */
const SHORT = 80;

export function ShortText({ text, most = SHORT }: { text: string; most?: number }) {
  if (text.length <= most) return <span class="broken">{text}</span>;
  return (
    <span class="broken" title={text.slice(0, 2_000)}>
      {text.slice(0, most)}…
    </span>
  );
}

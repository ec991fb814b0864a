/** An id that a click copies. It is shown in short. */
import { useSignal } from '@preact/signals';

/** ms for which a copy is confirmed. */
const CONFIRMED_MS = 1_500;

export function CopyableText({ text, short = 8 }: { text: string; short?: number }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, CONFIRMED_MS);
  };
  return (
    <button type="button" class="copyable" title={`Copy ${text}`} onClick={() => void copy()}>
      <code>{text.length > short ? text.slice(0, short) : text}</code>
      <span role="status">{isCopied.value ? ' copied' : ''}</span>
    </button>
  );
}

/** The message of an error in words, and its code. A table that cuts it shows the whole on hover. */
import { shortTime } from '../data/shown-times.ts';
import { readableText } from '../data/words-of-text.ts';
import { clock } from './time.tsx';

interface ErrorTextProps {
  error: { message: string; code?: string | undefined };
  /** Characters that are shown. */
  most?: number;
}

const LONGEST_MESSAGE = 2_000;

export function ErrorText({ error: { message, code }, most = LONGEST_MESSAGE }: ErrorTextProps) {
  const words = readableText(message, (at) => shortTime(at, clock.value));
  return (
    <span class="broken" title={words.slice(0, LONGEST_MESSAGE)}>
      {words.length > most ? `${words.slice(0, most)}…` : words}
      {code !== undefined && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
    </span>
  );
}

/** A sentence of the daemon: what it has in backquotes is shown as code, and an id in short, a time as all times are. */
import { Fragment } from 'preact';
import { TIME_IN_TEXT, UUID_IN_TEXT } from '../data/words-of-text.ts';
import { Time } from './time.tsx';

export function Sentence({ text }: { text: string }) {
  const parts = text.split('`');
  // An odd number of backquotes quotes nothing.
  if (parts.length % 2 === 0) return <Words text={text} />;
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={`${index} ${part}`}>{index % 2 === 0 ? <Words text={part} /> : <code>{part}</code>}</Fragment>
      ))}
    </>
  );
}

const Words = ({ text }: { text: string }) => (
  <>
    {text.split(TIME_IN_TEXT).map((part, index) => {
      const key = `${index} ${part}`;
      return index % 2 === 0 ? <ShortIds key={key} text={part} /> : <Time key={key} at={part} />;
    })}
  </>
);

/** The whole id is shown on hover. */
const ShortIds = ({ text }: { text: string }) => (
  <span title={text.match(UUID_IN_TEXT)?.join(' ')}>{text.replaceAll(UUID_IN_TEXT, '$1…')}</span>
);

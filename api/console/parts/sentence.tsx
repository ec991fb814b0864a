/** A sentence of the daemon: what it has in backquotes is shown as code, and an id in short, a time as all times are. */
import { Fragment } from 'preact';
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

const UUID_IN_TEXT = /\b([\da-f]{8})((?:-[\da-f]{4}){3}-[\da-f]{12})\b/g;

const TIME_IN_TEXT = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)/;

/** Every second part is a time. */
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

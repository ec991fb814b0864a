import type { GetAnswer } from '../../client/requests.ts';
import { shortTime } from './shown-times.ts';
import { readableText } from './words-of-text.ts';

/** The message of a cause, for people: that of its newest workflow. A stuck one has an ellipsis for each `<n>` and `<id>`. */
export function causeText({
  message,
  sampleMessage,
}: Pick<GetAnswer<'/failures'>[number], 'message' | 'sampleMessage'>): string {
  const text = readableText(sampleMessage ?? message.replaceAll(/(?:<(?:n|id)>[-.:TZ]*)+/g, '…'), (at) =>
    shortTime(at, Date.now()),
  );
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

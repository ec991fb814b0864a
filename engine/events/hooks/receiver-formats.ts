/**
 * The bodies that receivers of chats and of on-call services take instead of an event. Pure. Texts of events are names and messages
 * of others: they are shown as they are, never as a link or a mention.
 */
import type { ReceiverFormat } from '../../api-port/hooks.ts';
import type { EventPayload, Severity } from '../../vocabulary/event.ts';
import { storableBeginning } from '../../vocabulary/texts.ts';

/** Lines of facts, and characters of each. */
const FACTS = 10;
const FACT_LENGTH = 200;
/** Characters that Slack takes. */
const SECTION_LENGTH = 3_000;
/** PagerDuty takes 1,024. */
const SUMMARY_LENGTH = 500;

/** The others are not sent by HTTP. */
export type PostedFormat = Exclude<ReceiverFormat, 'mail'>;

/** @param secret of the hook; for PagerDuty the integration key */
export function receiverBody(event: EventPayload, format: PostedFormat, secret: string | undefined): object {
  if (format === 'slack') return slackBody(event);
  return format === 'teams' ? teamsBody(event) : incidentBody(event, secret ?? '');
}

/** https://docs.slack.dev/reference/block-kit/blocks */
function slackBody(event: EventPayload): object {
  const lines = eventFacts(event).map(([name, value]) => `*${slackText(name)}*: ${slackText(value)}`);
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });
  const title = `*${slackText(eventSummary(event))}*`;
  return {
    text: slackText(eventSummary(event)),
    blocks: [section(storableBeginning([title, ...lines].join('\n'), SECTION_LENGTH))],
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text: three characters begin a link or a mention. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An adaptive card, as webhooks of Workflows take it. Text runs have no Markdown. */
function teamsBody(event: EventPayload): object {
  const paragraph = (text: string, style: object) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      paragraph(eventSummary(event), { weight: 'bolder', color: cardColors[event.severity] }),
      ...eventFacts(event).map(([name, value]) => paragraph(`${name}: ${value}`, {})),
    ],
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] };
}

const cardColors: Record<Severity, string> = { critical: 'attention', warning: 'warning', information: 'default' };

/** Events API 2. An incident is one of a workflow, a node or another record; an event that is only information resolves it. */
function incidentBody(event: EventPayload, key: string): object {
  const { id, type, action, severity, typeId, nodeId, createdAt, data } = event;
  const isOver = severity === 'information' && type !== 'hook';
  return {
    routing_key: key,
    event_action: isOver ? 'resolve' : 'trigger',
    dedup_key: `nodewright ${type} ${typeId}`,
    payload: {
      summary: eventSummary(event),
      source: nodeId ?? 'nodewright',
      severity: severity === 'information' ? 'info' : severity,
      timestamp: createdAt,
      component: type,
      class: `${type}.${action}`,
      custom_details: { id, typeId, nodeId, ...Object.fromEntries(scalarsOf(data)) },
    },
  };
}

/** Such as `graph.finished (critical): Graph.InstallOs failed`. */
export function eventSummary({ type, action, severity, data }: EventPayload): string {
  const subject = ['graphName', 'name', 'hookName', 'status', 'state', 'message'].flatMap((key) => {
    const value = data[key];
    return typeof value === 'string' ? [value] : [];
  });
  const head = `${type}.${action} (${severity})`;
  return storableBeginning([head, ...(subject.length === 0 ? [] : [subject.join(' ')])].join(': '), SUMMARY_LENGTH);
}

/** Names and values, both cut. */
export function eventFacts({ typeId, nodeId, createdAt, data }: EventPayload): [string, string][] {
  const record: [string, string] = ['record', typeId];
  const node: [string, string][] = nodeId === null ? [] : [['node', nodeId]];
  return [record, ...node, ['at', createdAt], ...scalarsOf(data)].slice(0, FACTS) as [string, string][];
}

const scalarsOf = (data: Record<string, unknown>): [string, string][] =>
  Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, FACTS)
    .map(([name, value]) => [storableBeginning(name, FACT_LENGTH), storableBeginning(String(value), FACT_LENGTH)]);

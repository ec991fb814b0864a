/** Saves the certificates of a list as one archive, for an auditor. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { ARCHIVE_LIMIT_MS } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { saveFile } from '../../data/save-file.ts';
import { ActionButton } from '../../parts/action-button.tsx';

interface ArchiveButtonProps {
  /** Those of the list. */
  filter: Record<string, string>;
  count: number;
}

export function ArchiveButton({ filter, count }: ArchiveButtonProps) {
  const save = async () => {
    const limit = AbortSignal.timeout(ARCHIVE_LIMIT_MS);
    const parts: BlobPart[] = [];
    for await (const chunk of await client.stream('/certificates/archive', { query: filter }, {}, limit))
      parts.push(chunk as Uint8Array<ArrayBuffer>);
    saveFile('nodewright-certificates.zip', parts, 'application/zip');
  };
  return <ActionButton run={save}>Download {countText(count, 'certificate')} as ZIP</ActionButton>;
}

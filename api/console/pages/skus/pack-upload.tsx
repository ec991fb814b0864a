/** Uploads a pack: an archive with files and definitions for the nodes of a SKU. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { client } from '../../data/daemon-client.ts';
import { Problem } from '../../parts/problem.tsx';

interface PackUploadProps {
  title: string;
  method: 'POST' | 'PUT';
  path: '/skus/pack' | '/skus/:id/pack';
  /** Id of the SKU. */
  id?: string;
  done: () => void;
}

export function PackUpload({ title, method, path, id = '', done }: PackUploadProps) {
  const inputId = useId();
  const problem = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const send = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    [isSending.value, problem.value] = [true, undefined];
    try {
      await client.upload(method, path, new Blob([file], { type: 'application/gzip' }), { params: { id } });
      done();
    } catch (error) {
      problem.value = error;
    }
    isSending.value = false;
    input.value = '';
  };
  return (
    <div class="upload">
      <label for={inputId}>{isSending.value ? 'Sending the pack' : title}</label>
      <input
        id={inputId}
        type="file"
        accept=".tgz,.gz,application/gzip"
        disabled={isSending.value}
        onChange={({ currentTarget }) => void send(currentTarget)}
      />
      <Problem error={problem.value} />
    </div>
  );
}

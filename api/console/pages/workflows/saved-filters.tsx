/** Links to filtered lists: the usual ones, and those that the reader has saved. */
import { session } from '../../data/current-user.ts';
import { addressOfChoice, type ListChoice, workflowViews } from './list-choice.ts';
import { forgetFilter, keepFilter, LONGEST_NAME, ownFilters } from './own-filters.ts';

export function SavedFilters({ choice }: { choice: ListChoice }) {
  const here = addressOfChoice(choice);
  const link = (title: string, saved: ListChoice) => {
    const address = addressOfChoice(saved);
    return (
      <a href={address} aria-current={address === here ? 'page' : undefined}>
        {title}
      </a>
    );
  };
  const hasName = session.value?.username !== null;
  const views = Object.entries(workflowViews).filter(([view]) => view !== 'mine' || hasName);
  return (
    <nav class="saved-filters" aria-label="Saved filters">
      <ul>
        <li>{link('All', {})}</li>
        {views.map(([view, title]) => (
          <li key={view}>{link(title, { view })}</li>
        ))}
        {ownFilters.value.map(({ name, choice: saved }) => (
          <li key={`own ${name}`}>
            {link(name, saved)}
            <button type="button" aria-label={`Forget the filter ${name}`} onClick={() => forgetFilter(name)}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {here !== addressOfChoice({}) && <SaveFilter choice={choice} />}
    </nav>
  );
}

function SaveFilter({ choice }: { choice: ListChoice }) {
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = String(new FormData(form).get('name')).trim();
    if (name !== '') keepFilter(name, choice);
    form.reset();
  };
  return (
    <form onSubmit={save}>
      <input name="name" aria-label="Name for this filter" placeholder="name" required maxLength={LONGEST_NAME} />
      <button type="submit">Save this filter</button>
    </form>
  );
}

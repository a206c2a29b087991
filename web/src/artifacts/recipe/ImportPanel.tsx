/** A recipe from a page or a text: read by the server, reviewed and saved by the person. */

import { type FormEvent, useId, useRef, useState } from 'react';

import { type Key, useI18n } from '../../i18n';
import { reasonFor } from '../../i18n/reasons';
import { createRecipe, importRecipe, type RecipeInput } from '../../net/api';
import { asRefusal, type Refusal } from '../../net/http';
import { setState } from '../../state/store';
import { Button } from '../../ui/Button';
import { VisibleText } from '../../ui/VisibleText';
import { asRecipe } from './recipe';
import { changeFound, endImport, setFound, setImportText, useRecipeDrafts } from './recipe_drafts';
import type { RecipeFields } from './recipe_form';
import { RecipeEditor } from './RecipeEditor';

const FAILURES: Partial<Record<Refusal['code'], Key>> = {
  malformed: 'import.failed.malformed',
  forbidden: 'import.failed.forbidden',
  not_found: 'import.failed.not_found',
  too_large: 'import.failed.too_large',
  unavailable: 'import.failed.unavailable',
};

export default function ImportPanel() {
  const found = useRecipeDrafts((state) => state.found);
  return found === null ? <Source /> : <Review fields={found.fields} notUnderstood={found.notUnderstood} />;
}

function Source() {
  const text = useRecipeDrafts((state) => state.text);
  const i18n = useI18n();
  const { t } = i18n;
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Refusal | null>(null);
  const asking = useRef<AbortController | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    setBusy(true);
    setFailure(null);
    asking.current = new AbortController();
    try {
      const answer = await importRecipe(sourceIn(text), asking.current.signal);
      const recipe = asRecipe(answer.recipe);
      if (recipe) return setFound(recipe, answer.not_understood);
    } catch (error) {
      setFailure(asRefusal(error));
    }
    setBusy(false);
  };
  const known = failure && FAILURES[failure.code];
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-4 px-6 pt-8 pb-12 sm:px-8">
      <h2 className="pe-12 font-serif text-display font-semibold text-balance">{t('import.title')}</h2>
      <label htmlFor={id} className="block font-medium">{t('import.label')}</label>
      <textarea
        id={id}
        dir="auto"
        className="field field-sizing-content max-h-[50dvh] min-h-40"
        aria-describedby={`${id}-hint`}
        value={text}
        disabled={busy}
        onChange={(event) => setImportText(event.target.value)}
        autoFocus
      />
      <p id={`${id}-hint`} className="text-small text-muted">{t('import.hint')}</p>
      <p role="alert" className={failure ? 'text-small font-medium text-critical' : 'hidden'}>
        {failure && (known ? t(known) : reasonFor(i18n, failure))}
      </p>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={busy || text.trim() === ''}>{t(busy ? 'import.reading' : 'import.read')}</Button>
        <Button look="quiet" onClick={() => (asking.current?.abort(), setState({ panel: null }))}>{t('cancel')}</Button>
      </div>
    </form>
  );
}

/** An address alone is one; anything else is a text. */
export function sourceIn(text: string): { url: string } | { text: string } {
  const line = text.trim();
  return /^https?:\/\/\S+$/i.test(line) ? { url: line } : { text };
}

function Review({ fields, notUnderstood }: { fields: RecipeFields; notUnderstood: readonly string[] }) {
  const { t } = useI18n();
  const save = async (recipe: RecipeInput) => {
    try {
      const made = asRecipe((await createRecipe(recipe)).recipe);
      endImport(true);
      setState({ panel: made ? { kind: 'recipe', id: made.id } : null });
      return null;
    } catch (error) {
      return asRefusal(error);
    }
  };
  return (
    <RecipeEditor fields={fields} change={changeFound} save={save} cancel={{ label: t('import.again'), run: () => endImport(false) }}>
      <p role="status" className="pe-12 font-medium">{t('import.review')}</p>
      {notUnderstood.length > 0 && (
        <div className="space-y-1 rounded-control border border-warning/40 bg-warning/5 p-3.5 text-small">
          <p className="font-medium">{t('import.not_understood')}</p>
          <ul className="max-h-40 list-disc overflow-y-auto ps-5" tabIndex={0} aria-label={t('import.not_understood')}>
            {notUnderstood.map((line, index) => (
              <li key={index}>
                <VisibleText text={line} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </RecipeEditor>
  );
}

/** A recipe beside the chat: read, shown, and edited in place. */

import { ChefHat } from 'lucide-react';
import { useEffect, useState } from 'react';

import { EMBEDDING } from '../../browser/embedded';
import { useI18n } from '../../i18n';
import { reasonFor } from '../../i18n/reasons';
import { readRecipe, type RecipeInput, replaceRecipe, type VersionedRecipe } from '../../net/api';
import { asRefusal, type Refusal } from '../../net/http';
import { setState } from '../../state/store';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/Button';
import type { ArtifactProps } from '../artifact_props';
import { asRecipe, type Recipe } from './recipe';
import { beginEdit, changeEdit, endEdit, useRecipeDrafts } from './recipe_drafts';
import type { RecipeFields } from './recipe_form';
import { RecipeEditor } from './RecipeEditor';
import { RecipeView } from './RecipeView';

type Loaded = { state: 'loading' } | { state: 'ready'; recipe: Recipe; version: string | null } | { state: 'failed'; refusal: Refusal } | { state: 'missing' };

export default function RecipePanel({ id }: ArtifactProps) {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  const [attempt, setAttempt] = useState(0);
  const draft = useRecipeDrafts((state) => state.edits[id]);
  useEffect(() => {
    const wanted = new AbortController();
    setLoaded({ state: 'loading' });
    readRecipe(id, wanted.signal)
      .then((answer) => setLoaded(loadedFrom(answer)))
      .catch((error: unknown) => {
        if (wanted.signal.aborted) return;
        const refusal = asRefusal(error);
        setLoaded(refusal.code === 'not_found' ? { state: 'missing' } : { state: 'failed', refusal });
      });
    return () => wanted.abort();
  }, [id, attempt]);

  switch (loaded.state) {
    case 'loading':
      return <Skeleton />;
    case 'ready':
      if (!draft) return <RecipeView recipe={loaded.recipe} edit={EMBEDDING ? null : () => beginEdit(id, loaded.recipe, loaded.version)} />;
      return (
        <Editing
          fields={draft.fields}
          version={draft.version}
          id={id}
          saved={(answer) => {
            setLoaded(loadedFrom(answer));
            endEdit(id);
          }}
          reload={() => {
            endEdit(id);
            setAttempt(attempt + 1);
          }}
        />
      );
    case 'missing':
      return <Nothing refusal={null} again={null} />;
    case 'failed':
      return <Nothing refusal={loaded.refusal} again={() => setAttempt(attempt + 1)} />;
  }
}

function loadedFrom({ recipe: answer, version }: VersionedRecipe): Loaded {
  const recipe = asRecipe(answer);
  return recipe ? { state: 'ready', recipe, version } : { state: 'missing' };
}

interface EditingProps {
  fields: RecipeFields;
  version: string | null;
  id: string;
  saved(answer: VersionedRecipe): void;
  /** Shows what somebody else wrote. */
  reload(): void;
}

function Editing({ fields, version, id, saved, reload }: EditingProps) {
  const { t } = useI18n();
  const put = async (recipe: RecipeInput, replaces: string | null) => {
    try {
      saved(await replaceRecipe(id, recipe, replaces));
      announce(t('recipe.saved'));
      return null;
    } catch (error) {
      return asRefusal(error);
    }
  };
  return (
    <RecipeEditor
      fields={fields}
      change={(changed) => changeEdit(id, changed)}
      save={(recipe) => put(recipe, version)}
      cancel={{ label: t('cancel'), run: () => endEdit(id) }}
      // Whatever the version is now: the person was told, and decided.
      conflict={{ takeTheirs: reload, overwrite: (recipe) => put(recipe, null) }}
    />
  );
}

function Nothing({ refusal, again }: { refusal: Refusal | null; again: (() => void) | null }) {
  const i18n = useI18n();
  const { t } = i18n;
  return (
    <div role="alert" className="flex min-h-full flex-col items-center justify-center gap-4 p-8 text-center">
      <ChefHat size={32} aria-hidden="true" className="text-muted" />
      <p className="font-serif text-title">{refusal ? t('recipe.failed') : t('recipe.not_found')}</p>
      <p className="text-muted">{refusal ? reasonFor(i18n, refusal) : t('recipe.not_found_hint')}</p>
      <div className="flex gap-2">
        {again && <Button look="primary" onClick={again}>{t('try_again')}</Button>}
        <Button onClick={() => setState({ panel: null })}>{t('recipe.back')}</Button>
      </div>
    </div>
  );
}

function Skeleton() {
  const { t } = useI18n();
  return (
    <div role="status" className="space-y-6 px-6 py-8 sm:px-8">
      <span className="sr-only">{t('recipe.loading')}</span>
      {['h-9 w-3/4', 'h-5 w-1/2', 'h-40 w-full', 'h-56 w-full'].map((shape) => (
        <div key={shape} aria-hidden="true" className={`animate-pulse-soft rounded-control bg-raised ${shape}`} />
      ))}
    </div>
  );
}

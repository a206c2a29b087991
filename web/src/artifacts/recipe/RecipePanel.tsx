/** A recipe beside the chat: read, shown, and edited in place. */

import { ChefHat } from 'lucide-react';
import { useEffect, useState } from 'react';

import { useI18n } from '../../i18n';
import { reasonFor } from '../../i18n/reasons';
import { readRecipe, type RecipeInput, replaceRecipe, type VersionedRecipe } from '../../net/api';
import { asRefusal, type Refusal } from '../../net/http';
import { setState } from '../../state/store';
import { announce } from '../../ui/announce';
import { Button } from '../../ui/Button';
import type { ArtifactProps } from '../artifact_props';
import { asRecipe, type Recipe } from './recipe';
import { fieldsOf } from './recipe_form';
import { RecipeEditor } from './RecipeEditor';
import { RecipeView } from './RecipeView';

type Ready = { state: 'ready'; recipe: Recipe; version: string | null };
type Loaded = { state: 'loading' } | Ready | { state: 'failed'; refusal: Refusal } | { state: 'missing' };

export default function RecipePanel({ id }: ArtifactProps) {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  const [attempt, setAttempt] = useState(0);
  const [editing, setEditing] = useState(false);
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
      if (!editing) return <RecipeView recipe={loaded.recipe} edit={() => setEditing(true)} />;
      return (
        <Editing
          loaded={loaded}
          id={id}
          saved={(answer) => {
            setLoaded(loadedFrom(answer));
            setEditing(false);
          }}
          cancel={() => setEditing(false)}
          reload={() => {
            setEditing(false);
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
  loaded: Ready;
  id: string;
  saved(answer: VersionedRecipe): void;
  cancel(): void;
  /** Shows what somebody else wrote. */
  reload(): void;
}

function Editing({ loaded, id, saved, cancel, reload }: EditingProps) {
  const { t } = useI18n();
  const put = async (recipe: RecipeInput, version: string | null) => {
    try {
      saved(await replaceRecipe(id, recipe, version));
      announce(t('recipe.saved'));
      return null;
    } catch (error) {
      return asRefusal(error);
    }
  };
  const [first] = useState(() => fieldsOf(loaded.recipe));
  return (
    <RecipeEditor
      first={first}
      save={(recipe) => put(recipe, loaded.version)}
      cancel={{ label: t('cancel'), run: cancel }}
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

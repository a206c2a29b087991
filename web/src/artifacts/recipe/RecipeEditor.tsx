/** The form in which a recipe is changed, or one that was imported is reviewed. */

import { Plus, Trash2 } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

import { type I18n, useI18n } from '../../i18n';
import { reasonFor } from '../../i18n/reasons';
import type { RecipeInput } from '../../net/api';
import type { Refusal } from '../../net/http';
import { Button, IconButton } from '../../ui/Button';
import { onEscape } from '../../ui/escape';
import { type FormProblem, type IngredientFields, NO_INGREDIENT, NO_STEP, type RecipeFields, recipeIn, type StepFields } from './recipe_form';

/** Null once it is saved. */
interface Save {
  (recipe: RecipeInput): Promise<Refusal | null>;
}

interface Props {
  fields: RecipeFields;
  change(fields: RecipeFields): void;
  save: Save;
  cancel: { label: string; run(): void };
  /** What can be done when somebody else changed it; absent for a new recipe. */
  conflict?: { takeTheirs(): void; overwrite: Save };
  children?: ReactNode;
}

export function RecipeEditor({ fields, change: setFields, save, cancel, conflict, children }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const [first] = useState(fields);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<FormProblem | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const title = useRef<HTMLInputElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  const change = (part: Partial<RecipeFields>) => {
    setFields({ ...fields, ...part });
    setProblem(null);
  };
  const send = async (how: Save) => {
    const recipe = recipeIn(fields);
    if ('problem' in recipe) {
      setProblem(recipe);
      if (recipe.problem === 'title') title.current?.focus();
      return;
    }
    setBusy(true);
    setRefusal(await how(recipe));
    setBusy(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(save);
  };
  const changed = refusal?.code === 'changed' && conflict;
  // Escape drops nothing that was typed.
  return (
    <form onSubmit={submit} onKeyDown={onEscape(() => fields === first && cancel.run())} noValidate className="space-y-6 px-6 pt-8 pb-12 sm:px-8">
      {children}
      <Labelled label={t('recipe.title_label')}>
        {(id) => (
          <input
            id={id}
            ref={title}
            dir="auto"
            className="field font-serif"
            maxLength={200}
            aria-required
            aria-invalid={problem?.problem === 'title'}
            value={fields.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </Labelled>
      <Labelled label={t('recipe.description')}>
        {(id) => (
          <textarea
            id={id}
            dir="auto"
            className="field field-sizing-content min-h-16"
            maxLength={1000}
            value={fields.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Labelled>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] items-end gap-4">
        <Whole label={t('recipe.servings')} value={fields.servings} wrong={isWrong(problem, 'servings')} change={(servings) => change({ servings })} />
        <Whole label={t('recipe.minutes_prep')} value={fields.prep} wrong={isWrong(problem, 'prep')} change={(prep) => change({ prep })} />
        <Whole label={t('recipe.minutes_cook')} value={fields.cook} wrong={isWrong(problem, 'cook')} change={(cook) => change({ cook })} />
      </div>
      <Ingredients list={fields.ingredients} change={(ingredients) => change({ ingredients })} />
      <Steps list={fields.steps} problem={problem} change={(steps) => change({ steps })} />
      <div className="sticky bottom-0 -mx-6 space-y-3 border-t border-line bg-surface px-6 py-3 sm:-mx-8 sm:px-8">
        <p role="alert" className={problem || refusal ? 'text-small font-medium text-critical' : 'hidden'}>
          {problem ? problemText(i18n, problem) : refusal && (changed ? t('recipe.changed') : t('recipe.not_saved', { why: why(i18n, refusal) }))}
        </p>
        <div className="flex flex-wrap gap-2">
          {changed ? (
            <>
              <Button disabled={busy} onClick={conflict.takeTheirs}>{t('recipe.take_theirs')}</Button>
              <Button look="critical" disabled={busy} onClick={() => void send(conflict.overwrite)}>{t('recipe.save_anyway')}</Button>
            </>
          ) : (
            <Button type="submit" look="primary" disabled={busy}>{t('recipe.save')}</Button>
          )}
          <Button look="quiet" disabled={busy} onClick={cancel.run}>{cancel.label}</Button>
        </div>
      </div>
    </form>
  );
}

const isWrong = (problem: FormProblem | null, field: string) => problem?.problem === 'number' && problem.field === field;

function problemText({ t }: I18n, problem: FormProblem): string {
  if (problem.problem === 'title') return t('recipe.needs_title');
  const labels = { servings: t('recipe.servings'), prep: t('recipe.minutes_prep'), cook: t('recipe.minutes_cook'), minutes: t('recipe.step_minutes', { at: (problem.at ?? 0) + 1 }) };
  return t('recipe.needs_number', { field: labels[problem.field] });
}

/** Only the server knows which field of a recipe does not fit. */
function why(i18n: I18n, refusal: Refusal): string {
  return refusal.code === 'malformed' && refusal.message ? refusal.message : reasonFor(i18n, refusal);
}

function Labelled({ label, children }: { label: string; children(id: string): ReactNode }) {
  const id = useId();
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-small font-medium">{label}</label>
      {children(id)}
    </div>
  );
}

function Whole({ label, value, wrong, change }: { label: string; value: string; wrong: boolean; change(value: string): void }) {
  return (
    <Labelled label={label}>
      {(id) => <input id={id} inputMode="numeric" className="field tabular" aria-invalid={wrong} value={value} onChange={(event) => change(event.target.value)} />}
    </Labelled>
  );
}

function Ingredients({ list, change }: { list: readonly IngredientFields[]; change(list: IngredientFields[]): void }) {
  const { t } = useI18n();
  const set = (at: number, part: Partial<IngredientFields>) => change(list.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="space-y-3">
      <legend className="font-serif text-title font-semibold">{t('recipe.ingredients')}</legend>
      {list.map((one, at) => (
        <div key={at} className="grid grid-cols-[4.5rem_minmax(0,1fr)_auto] gap-1.5 border-b border-line pb-3 last-of-type:border-0">
          <input className="field px-2 tabular" aria-label={t('recipe.ingredient_amount', { at: at + 1 })} placeholder={t('recipe.amount')} maxLength={50} value={one.quantity} onChange={(event) => set(at, { quantity: event.target.value })} />
          <input dir="auto" className="field px-2" aria-label={t('recipe.ingredient_unit', { at: at + 1 })} placeholder={t('recipe.unit')} maxLength={50} value={one.unit} onChange={(event) => set(at, { unit: event.target.value })} />
          <IconButton label={t('recipe.remove', { what: one.name || t('recipe.ingredient', { at: at + 1 }) })} onClick={() => change(list.filter((_one, index) => index !== at))}>
            <Trash2 size={15} aria-hidden="true" />
          </IconButton>
          <input dir="auto" className="field col-span-3 px-2" aria-label={t('recipe.ingredient', { at: at + 1 })} placeholder={t('recipe.name')} maxLength={200} value={one.name} onChange={(event) => set(at, { name: event.target.value })} />
          <input dir="auto" className="field col-span-3 px-2" aria-label={t('recipe.ingredient_notes', { at: at + 1 })} placeholder={t('recipe.notes')} maxLength={500} value={one.notes} onChange={(event) => set(at, { notes: event.target.value })} />
        </div>
      ))}
      <Button look="quiet" icon={<Plus size={15} aria-hidden="true" />} onClick={() => change([...list, NO_INGREDIENT])}>{t('recipe.add_ingredient')}</Button>
    </fieldset>
  );
}

function Steps({ list, problem, change }: { list: readonly StepFields[]; problem: FormProblem | null; change(list: StepFields[]): void }) {
  const { t } = useI18n();
  const set = (at: number, part: Partial<StepFields>) => change(list.map((one, index) => (index === at ? { ...one, ...part } : one)));
  const wrong = (at: number) => problem?.problem === 'number' && problem.field === 'minutes' && problem.at === at;
  return (
    <fieldset className="space-y-3">
      <legend className="font-serif text-title font-semibold">{t('recipe.steps')}</legend>
      {list.map((one, at) => (
        <div key={at} className="grid grid-cols-[minmax(0,1fr)_5rem_auto] items-start gap-1.5">
          <textarea dir="auto" className="field field-sizing-content min-h-20 px-2" aria-label={t('recipe.step', { at: at + 1 })} maxLength={2000} value={one.instruction} onChange={(event) => set(at, { instruction: event.target.value })} />
          <input inputMode="numeric" className="field px-2 tabular" aria-label={t('recipe.step_minutes', { at: at + 1 })} aria-invalid={wrong(at)} placeholder={t('recipe.minutes')} value={one.minutes} onChange={(event) => set(at, { minutes: event.target.value })} />
          <IconButton label={t('recipe.remove', { what: t('recipe.step', { at: at + 1 }) })} onClick={() => change(list.filter((_one, index) => index !== at))}>
            <Trash2 size={15} aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <Button look="quiet" icon={<Plus size={15} aria-hidden="true" />} onClick={() => change([...list, NO_STEP])}>{t('recipe.add_step')}</Button>
    </fieldset>
  );
}

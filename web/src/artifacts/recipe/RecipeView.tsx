/** A recipe to read and cook from: servings to scale, ingredients and steps to check off. */

import { Clock, Minus, Pencil, Plus, Printer } from 'lucide-react';
import { type ReactNode, useId } from 'react';

import { useI18n } from '../../i18n';
import { Button, IconButton } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { useAwake } from './awake';
import { printRecipe } from './print';
import { lineKey, useProgress } from './progress';
import { scaled } from './quantity';
import type { Ingredient, Recipe, Step } from './recipe';

export function RecipeView({ recipe, edit }: { recipe: Recipe; edit: (() => void) | null }) {
  const { t, number } = useI18n();
  const written = recipe.servings ?? 1;
  const [progress, setProgress] = useProgress(recipe.id);
  const servings = progress.servings ?? written;
  const setServings = (fresh: number) => setProgress({ servings: fresh === written ? null : fresh });
  const checked: Checked = {
    has: (key) => progress.done.includes(key),
    set: (key, on) => setProgress({ done: on ? [...progress.done, key] : progress.done.filter((one) => one !== key) }),
  };
  const awake = useAwake();
  return (
    <article data-print className="px-6 pt-8 pb-12 sm:px-8">
      <h2 dir="auto" className="pe-12 font-serif text-display font-semibold text-balance">{recipe.title}</h2>
      {recipe.description && <p dir="auto" className="mt-2 font-serif text-muted italic">{recipe.description}</p>}
      <div className="mt-5 flex flex-wrap items-center gap-x-6 gap-y-3 border-y border-line py-3">
        {recipe.servings !== null && (
          <div className="flex items-center gap-1" role="group" aria-label={t('recipe.servings')}>
            <IconButton label={t('recipe.fewer')} disabled={servings <= 1} onClick={() => setServings(Math.max(1, servings - 1))} className="border border-(--edge) rounded-full">
              <Minus size={16} aria-hidden="true" />
            </IconButton>
            <output aria-live="polite" className="min-w-24 text-center tabular">
              <span className="font-semibold">{number(servings)}</span> {t(servings === 1 ? 'recipe.serving_unit' : 'recipe.servings_unit')}
            </output>
            <IconButton label={t('recipe.more')} disabled={servings >= 99} onClick={() => setServings(servings + 1)} className="border border-(--edge) rounded-full">
              <Plus size={16} aria-hidden="true" />
            </IconButton>
          </div>
        )}
        <Time label={t('recipe.prep')} minutes={recipe.prepMinutes} />
        <Time label={t('recipe.cook')} minutes={recipe.cookMinutes} />
      </div>
      <div data-screen className="mt-3 flex flex-wrap gap-2">
        {edit && <Button icon={<Pencil size={15} aria-hidden="true" />} onClick={edit}>{t('recipe.edit')}</Button>}
        <Button icon={<Printer size={15} aria-hidden="true" />} onClick={printRecipe}>{t('recipe.print')}</Button>
      </div>
      {awake.can && (
        <label data-screen className="mt-4 flex items-center gap-2.5 text-small text-muted">
          <input type="checkbox" className="size-4 accent-(--accent)" checked={awake.wanted} onChange={(event) => awake.setWanted(event.target.checked)} />
          {t('recipe.awake')}
        </label>
      )}
      <Ingredients list={recipe.ingredients} factor={servings / written} checked={checked} />
      <Steps list={recipe.steps} checked={checked} />
    </article>
  );
}

function Time({ label, minutes }: { label: string; minutes: number | null }) {
  const { duration } = useI18n();
  if (minutes === null) return null;
  return (
    <p className="flex items-center gap-2 text-small">
      <Clock size={15} aria-hidden="true" className="text-muted" />
      <span className="text-muted">{label}</span> <span className="font-semibold tabular">{duration(minutes)}</span>
    </p>
  );
}

/** Which lines are checked off. */
interface Checked {
  has(key: string): boolean;
  set(key: string, on: boolean): void;
}

function Ingredients({ list, factor, checked }: { list: readonly Ingredient[]; factor: number; checked: Checked }) {
  const { t, number } = useI18n();
  if (list.length === 0) return null;
  return (
    <section className="mt-8">
      <h3 className="font-serif text-title font-semibold">{t('recipe.ingredients')}</h3>
      <ul className="mt-3">
        {list.map((one, index) => {
          const amount = scaled(one.quantity, factor, one.unit, number);
          return (
            <Checkable key={index} line={lineKey(`i${index}`, one.name)} checked={checked}>
              <span className="grid grow grid-cols-[5.5rem_1fr] gap-x-3">
                <span className="text-end font-medium tabular">{[amount, one.unit].filter(Boolean).join(' ')}</span>
                <span>
                  {one.name}
                  {one.notes && <span className="text-muted"> · {one.notes}</span>}
                </span>
              </span>
            </Checkable>
          );
        })}
      </ul>
    </section>
  );
}

function Steps({ list, checked }: { list: readonly Step[]; checked: Checked }) {
  const { t, duration } = useI18n();
  if (list.length === 0) return null;
  return (
    <section className="mt-8">
      <h3 className="font-serif text-title font-semibold">{t('recipe.steps')}</h3>
      <ol className="mt-3">
        {list.map((one, index) => (
          <Checkable key={index} line={lineKey(`s${index}`, one.instruction)} checked={checked} large>
            <span className="grid grow grid-cols-[2rem_1fr]">
              <span className="font-serif text-title font-semibold text-accent tabular">{index + 1}</span>
              <span className="text-[1.0625rem] leading-7">
                {one.instruction}
                {one.minutes !== null && (
                  <span className="ms-2 text-small whitespace-nowrap text-muted">{duration(one.minutes)}</span>
                )}
              </span>
            </span>
          </Checkable>
        ))}
      </ol>
    </section>
  );
}

/** A line to check off. */
function Checkable({ line, checked, children, large = false }: { line: string; checked: Checked; children: ReactNode; large?: boolean }) {
  const done = checked.has(line);
  const id = useId();
  return (
    <li className="border-b border-line last:border-0">
      <label htmlFor={id} className={classes('flex cursor-pointer items-start gap-3 py-2.5 pointer-coarse:min-h-11', large && 'py-3.5')}>
        <input id={id} type="checkbox" className="mt-1 size-[18px] shrink-0 accent-(--accent)" checked={done} onChange={(event) => checked.set(line, event.target.checked)} />
        <span className={classes('flex grow', done && 'text-muted line-through decoration-1')}>{children}</span>
      </label>
    </li>
  );
}

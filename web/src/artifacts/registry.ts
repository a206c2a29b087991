/**
 * The kinds of artifacts. A new kind is a file and a line here; an unknown kind is
 * shown as such.
 */

import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

import type { Key } from '../i18n';
import type { ArtifactProps } from './artifact_props';

interface Kind {
  /** The title of the panel. */
  title: Key;
  /** The label of the row that opens it. */
  open: Key;
  Panel: LazyExoticComponent<ComponentType<ArtifactProps>>;
}

const KINDS: Record<string, Kind> = {
  recipe: {
    title: 'recipe.title',
    open: 'recipe.open',
    Panel: lazy(() => import('./recipe/RecipePanel')),
  },
  // Only this page opens it; no tool shows it.
  recipe_import: {
    title: 'import.title',
    open: 'import.open',
    Panel: lazy(() => import('./recipe/ImportPanel')),
  },
};

export function artifactKind(kind: string): Kind | null {
  return KINDS[kind] ?? null;
}

/**
 * What can be shown beside the chat. Another kind is another file and a line
 * here; a kind that is not here is not shown, and says so.
 */

import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

import type { Key } from '../i18n';
import type { ArtifactProps } from './artifact_props';

interface Kind {
  /** What the panel is called. */
  title: Key;
  /** On the row that leads to it. */
  open: Key;
  Panel: LazyExoticComponent<ComponentType<ArtifactProps>>;
}

const KINDS: Record<string, Kind> = {
  recipe: {
    title: 'recipe.title',
    open: 'recipe.open',
    Panel: lazy(() => import('./recipe/RecipePanel')),
  },
};

export function artifactKind(kind: string): Kind | null {
  return KINDS[kind] ?? null;
}

/** The accent of the project that is shown: the styles read it from these properties, in either theme. */

import { currentProject, getState, type ParlorState, useParlor } from '../state/store';

const LIGHT = '--project-accent-light';
const DARK = '--project-accent-dark';

export function followAccent(): () => void {
  show(getState());
  return useParlor.subscribe(show);
}

let shown = '';

function show(state: ParlorState): void {
  const accent = currentProject(state)?.look?.accent;
  const wanted = accent ? `${accent.light} ${accent.dark}` : '';
  if (wanted === shown) return;
  shown = wanted;
  const { style } = document.documentElement;
  if (!accent) {
    style.removeProperty(LIGHT);
    style.removeProperty(DARK);
    return;
  }
  style.setProperty(LIGHT, accent.light);
  style.setProperty(DARK, accent.dark);
}

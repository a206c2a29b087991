/** Portuguese. A text that is missing here does not compile. */

import type { Key } from './en';
import { admin } from './pt/admin';
import { budgets } from './pt/budgets';
import { cards } from './pt/cards';
import { embed } from './pt/embed';
import { page } from './pt/page';
import { recipes } from './pt/recipes';
import { settings } from './pt/settings';
import { share } from './pt/share';

export const pt: Record<Key, string> = { ...page, ...cards, ...recipes, ...settings, ...admin, ...budgets, ...share, ...embed };

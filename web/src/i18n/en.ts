/** English. Every text of the page; `{names}` are filled in, `.one` and `.other` are forms of a number. */

import { admin } from './en/admin';
import { budgets } from './en/budgets';
import { cards } from './en/cards';
import { embed } from './en/embed';
import { page } from './en/page';
import { recipes } from './en/recipes';
import { settings } from './en/settings';
import { share } from './en/share';

export const en = { ...page, ...cards, ...recipes, ...settings, ...admin, ...budgets, ...share, ...embed };

export type Key = keyof typeof en;

/** Pages of their own, in place of the conversation. It stays open behind them. */

import { type Page, setAddress } from './address';
import { getState, setState } from './store';

export function openPage(page: Exclude<Page, 'chat'>): void {
  if (getState().page === page) return;
  window.history.pushState(null, '', `/${page}`);
  setState({ page });
}

/** Goes back to the conversation. */
export function closePage(): void {
  setState({ page: 'chat' });
  setAddress(getState().conversation.id, 'step');
}

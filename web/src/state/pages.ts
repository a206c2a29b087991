/** Pages of their own, in place of the conversation. It stays open behind them. */

import { adminPath, type AdminTab, LOGINS, type Page, setAddress } from './address';
import { getState, setState } from './store';

export function openPage(page: Exclude<Page, 'chat'>): void {
  if (getState().page === page) return;
  window.history.pushState(null, '', `/${page}`);
  setState({ page, adminTab: 'overview' });
}

/** Opens the settings at one's logins to tool servers. */
export function openLogins(): void {
  openPage('settings');
  window.history.replaceState(null, '', `/settings${LOGINS}`);
}

/** Opens a tab of the page of administrators, as a step of its own. */
export function openAdminTab(tab: AdminTab): void {
  const { page, adminTab } = getState();
  if (page === 'admin' && adminTab === tab) return;
  window.history.pushState(null, '', adminPath(tab));
  setState({ page: 'admin', adminTab: tab });
}

/** Goes back to the conversation. */
export function closePage(): void {
  setState({ page: 'chat' });
  setAddress(getState().conversation.id, 'step');
}

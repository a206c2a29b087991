import { expect, it } from 'vitest';

import { addressed, addressOf, ADMIN_TABS, adminPath, adminTabAt, pageAt } from './address';

/** U-6 */
it('a conversation has an address', () => {
  const id = '0198c0de-0000-7000-8000-000000000001';
  expect(addressOf(id)).toBe(`/c/${id}`);
  expect(addressed(addressOf(id))).toBe(id);
  expect(addressOf(null)).toBe('/chat');
  for (const path of ['/chat', '/', '/c/', '/c/a/b', '/c/%2e%2e', '/x/c/a']) expect(addressed(path), path).toBeNull();
});

it('a page of its own has one too', () => {
  for (const page of ['waiting', 'settings', 'admin'] as const) {
    expect(pageAt(`/${page}`)).toBe(page);
    expect(addressed(`/${page}`), 'it is no conversation').toBeNull();
  }
  for (const path of ['/chat', '/', '/c/waiting', '/waiting/x', '/Waiting']) expect(pageAt(path), path).toBe('chat');
});

/** Y-4 */
it('a tab of the page of administrators has one too', () => {
  for (const tab of ADMIN_TABS) {
    expect([pageAt(adminPath(tab)), adminTabAt(adminPath(tab))]).toEqual(['admin', tab]);
  }
  for (const path of ['/admin/', '/admin/overview', '/admin/people/x', '/administer']) expect(pageAt(path), path).toBe('chat');
});

/** Refreshes what failed while the server could not be reached, without a click (U-3). */

import { onBackOnline } from '../net/http';
import { refreshList } from './list';
import { getState, setState } from './store';

export function refreshWhenBackOnline(): () => void {
  return onBackOnline(() => {
    setState(({ reconnects, notice }) => ({
      reconnects: reconnects + 1,
      notice: notice?.refusal.code === 'offline' ? null : notice,
    }));
    if (getState().list.state === 'failed') void refreshList();
  });
}

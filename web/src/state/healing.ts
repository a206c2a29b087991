/** What is put right once the server can be reached again: nobody has to press anything (U-3). */

import { onReachedAgain } from '../net/http';
import { refreshList } from './list';
import { getState, setState } from './store';

export function heal(): () => void {
  return onReachedAgain(() => {
    setState(({ healed, notice }) => ({
      healed: healed + 1,
      notice: notice?.refusal.code === 'offline' ? null : notice,
    }));
    if (getState().list.state === 'failed') void refreshList();
  });
}

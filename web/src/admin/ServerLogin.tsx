/** Logging in to a tool server that asks for it, and out again. */

import { useState } from 'react';

import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import * as api from '../net/api';
import { asRefusal, type Refusal } from '../net/http';
import { Button } from '../ui/Button';
import { PersonLogins } from './PersonLogins';

interface Action {
  (): Promise<unknown>;
}

interface Props {
  project: string;
  health: api.ServerHealth;
  /** Somebody logged out. */
  onChange(): void;
}

export function ServerLogin({ project, health, onChange }: Props) {
  const i18n = useI18n();
  const { t } = i18n;
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { server, login } = health;
  if (!login) return null;
  if (login === 'per_person') return <PersonLogins project={project} server={server} />;
  const act = async (action: Action) => {
    setBusy(true);
    setRefusal(null);
    await action().catch((error: unknown) => setRefusal(asRefusal(error)));
    setBusy(false);
  };
  // The login page sends the browser back to a page of ours.
  const logIn = () => act(async () => window.location.assign(await api.beginMcpLogin(project, server)));
  const logOut = () => act(() => api.logOutOfMcpServer(project, server).then(onChange));
  return (
    <span className="my-1 block">
      {login !== 'logged_in' && (
        <Button disabled={isBusy} onClick={() => void logIn()}>
          {t(login === 'needed' ? 'admin.login.log_in' : 'admin.login.log_in_again', { server })}
        </Button>
      )}
      {login !== 'needed' && (
        <Button look="quiet" disabled={isBusy} onClick={() => void logOut()}>
          {t('admin.login.log_out', { server })}
        </Button>
      )}
      {refusal && <span role="alert" className="block text-critical">{refusal.status === 502 ? refusal.message : reasonFor(i18n, refusal)}</span>}
    </span>
  );
}

import { PanelRight } from 'lucide-react';

import { useI18n } from '../i18n';
import type { Artifact } from '../state/model';
import { setState, useParlor } from '../state/store';
import { Button } from '../ui/Button';
import { artifactKind } from './registry';

/** The row of an artifact: a button that shows it beside the chat, or hides it. */
export function ArtifactRow({ artifact }: { artifact: Artifact }) {
  const { t } = useI18n();
  const shown = useParlor(({ panel }) => panel?.kind === artifact.kind && panel.id === artifact.id);
  const kind = artifactKind(artifact.kind);
  if (!kind) return <p className="text-small text-muted">{t('artifact.unknown', { kind: artifact.kind })}</p>;
  return (
    <Button icon={<PanelRight size={16} aria-hidden="true" />} aria-pressed={shown} onClick={() => setState({ panel: shown ? null : artifact })}>
      {t(shown ? 'artifact.shown' : kind.open)}
    </Button>
  );
}

/** The artifact panel: beside the chat and resizable from 768 px on, below that a sheet over it with a button at the bottom. */

import { X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, Suspense, useEffect, useRef, useState } from 'react';

import { readLocal, writeLocal } from '../browser/local_storage';
import { useI18n } from '../i18n';
import type { Artifact } from '../state/model';
import { setState, useParlor } from '../state/store';
import { Button, IconButton } from '../ui/Button';
import { onEscape } from '../ui/escape';
import { BESIDE, useMedia } from '../ui/media';
import { artifactKind } from './registry';

const close = () => setState({ panel: null });

export function ArtifactPanel() {
  const artifact = useParlor((state) => state.panel);
  const beside = useMedia(BESIDE);
  if (!artifact || !artifactKind(artifact.kind)) return null;
  return beside ? <Beside artifact={artifact} /> : <Sheet artifact={artifact} />;
}

const NARROWEST = 20;
const WIDEST = 60;

function Beside({ artifact }: { artifact: Artifact }) {
  const { t } = useI18n();
  const [width, setWidth] = useState(() => clamp(Number(readLocal('panel') ?? 40)));
  const set = (percent: number) => {
    setWidth(clamp(percent));
    writeLocal('panel', String(Math.round(clamp(percent))));
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const row = event.currentTarget.parentElement?.parentElement;
    if (event.buttons !== 1 || !row) return;
    const { right, width: all } = row.getBoundingClientRect();
    set(((right - event.clientX) / all) * 100);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') set(width + 2);
    else if (event.key === 'ArrowRight') set(width - 2);
    else return;
    event.preventDefault();
  };
  return (
    <aside
      aria-label={t(artifactKind(artifact.kind)?.title ?? 'artifact.label')}
      onKeyDown={onEscape(close)}
      style={{ width: `${width}%` }}
      className="relative flex min-w-72 shrink-0 animate-arrive flex-col border-s border-line bg-surface"
    >
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={t('artifact.resize')}
        aria-valuenow={Math.round(width)}
        aria-valuemin={NARROWEST}
        aria-valuemax={WIDEST}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={onKeyDown}
        className="absolute inset-y-0 -start-1 z-10 w-2 cursor-col-resize touch-none transition-colors duration-100 hover:bg-accent/30"
      />
      <div className="absolute end-3 top-3 z-10">
        <IconButton label={t('artifact.close')} onClick={close} className="bg-surface">
          <X size={18} aria-hidden="true" />
        </IconButton>
      </div>
      <Inside artifact={artifact} />
    </aside>
  );
}

const clamp = (percent: number) => Math.min(WIDEST, Math.max(NARROWEST, Number.isFinite(percent) ? percent : 40));

function Sheet({ artifact }: { artifact: Artifact }) {
  const { t } = useI18n();
  const dialog = useRef<HTMLDialogElement>(null);
  const out = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    out.current?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={t(artifactKind(artifact.kind)?.title ?? 'artifact.label')}
      onClose={close}
      className="m-0 mt-[4dvh] flex h-[96dvh] max-h-none w-full max-w-none animate-arrive flex-col rounded-t-card border-t border-line bg-surface backdrop:bg-shade"
    >
      <Inside artifact={artifact} />
      <div className="shrink-0 border-t border-line p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
        <Button ref={out} className="w-full" icon={<X size={16} aria-hidden="true" />} onClick={() => dialog.current?.close()}>
          {t('artifact.close')}
        </Button>
      </div>
    </dialog>
  );
}

function Inside({ artifact }: { artifact: Artifact }) {
  const { t } = useI18n();
  const kind = artifactKind(artifact.kind);
  return (
    <div className="min-h-0 grow overflow-y-auto overscroll-contain" tabIndex={0} role="group" aria-label={t('artifact.content')}>
      {kind ? (
        <Suspense fallback={null}>
          <kind.Panel key={artifact.id} id={artifact.id} />
        </Suspense>
      ) : (
        <p className="p-6 text-muted">{t('artifact.unknown', { kind: artifact.kind })}</p>
      )}
    </div>
  );
}

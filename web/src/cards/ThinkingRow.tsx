import { useI18n } from '../i18n';
import { Disclosure } from '../ui/Disclosure';

/** The thinking indicator; the thoughts unfold. */
export function ThinkingRow({ texts, streaming }: { texts: readonly string[]; streaming: boolean }) {
  const { t } = useI18n();
  return (
    <Disclosure
      summary={
        <span className="flex items-center gap-2 text-body">
          {streaming && <span aria-hidden="true" className="size-2 animate-pulse-soft rounded-full bg-accent" />}
          {streaming ? t('thinking.now') : t('thinking.before')}
        </span>
      }
    >
      <Thoughts texts={texts} />
    </Disclosure>
  );
}

export function Thoughts({ texts }: { texts: readonly string[] }) {
  return (
    <div className="mt-1 space-y-2 border-s-2 border-line ps-4 text-small whitespace-pre-wrap text-muted">
      {texts.map((text, index) => (
        <p key={index}>{text}</p>
      ))}
    </div>
  );
}

/** The indicator of a turn that has nothing to show yet. */
export function WorkingRow({ queued = false }: { queued?: boolean }) {
  const { t } = useI18n();
  return (
    <p className="flex items-center gap-2.5 text-muted">
      <span aria-hidden="true" className="size-2 animate-pulse-soft rounded-full bg-accent" />
      {t(queued ? 'thinking.queued' : 'thinking.working')}
    </p>
  );
}

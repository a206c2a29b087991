import { CircleAlert, CircleHelp } from 'lucide-react';
import type { ReactNode } from 'react';

import type { PictureTrouble } from '../state/pictures';
import { useParlor } from '../state/store';
import { useWords } from '../words';
import { reasonFor } from '../words/reasons';
import { NotifyMe } from './NotifyMe';

interface Props {
  pictureTrouble: PictureTrouble | null;
  /** The prompt that has to be answered first. */
  waiting: string | null;
}

/** Above the composer: why something did not go out, or what comes first. */
export function ComposerNotice({ pictureTrouble, waiting }: Props) {
  const words = useWords();
  const { t } = words;
  const notice = useParlor((state) => state.notice);
  if (notice) return <Line critical icon={<CircleAlert size={16} />}>{reasonFor(words, notice.refusal)}</Line>;
  if (pictureTrouble) {
    return <Line critical icon={<CircleAlert size={16} />}>{t(pictureTrouble === 'type' ? 'composer.picture_type' : 'composer.picture_size')}</Line>;
  }
  if (waiting === null) return null;
  const show = () => {
    const card = document.querySelector<HTMLElement>('[data-card][tabindex="-1"]:has(button:enabled)');
    card?.scrollIntoView({ block: 'center' });
    card?.focus({ preventScroll: true });
  };
  return (
    <Line icon={<CircleHelp size={16} />}>
      <span className="flex flex-wrap gap-x-3">
        {t('composer.prompt_waits')}
        <button type="button" onClick={show} className="rounded-control font-medium text-accent underline underline-offset-3">
          {t('composer.show_prompt')}
        </button>
        <NotifyMe />
      </span>
    </Line>
  );
}

function Line({ critical = false, icon, children }: { critical?: boolean; icon: ReactNode; children: ReactNode }) {
  return (
    <p
      role={critical ? 'alert' : 'status'}
      className={`flex items-start gap-2 rounded-control px-3 py-2 text-small ${critical ? 'bg-critical/10 font-medium text-critical' : 'bg-raised'}`}
    >
      <span aria-hidden="true" className="mt-[2px] shrink-0">{icon}</span>
      <span>{children}</span>
    </p>
  );
}

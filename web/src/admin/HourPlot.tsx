import { useI18n } from '../i18n';
import { byHour, type Counted } from './hours';

const WIDTH = 480;
const HEIGHT = 64;

/** The lowest bar, in pixels: a single event is visible beside a tall bar. */
const LOWEST = 3;

interface Props {
  happened: readonly Counted[];
  now: number;
  fill: string;
  /** The count of a bar of full height; the same for all plots of a page. */
  most: number;
}

/** A bar chart of one day by hour. */
export function HourPlot({ happened, now, fill, most }: Props) {
  const i18n = useI18n();
  const hours = byHour(happened, now);
  const all = hours.reduce((sum, hour) => sum + hour.count, 0);
  const step = WIDTH / hours.length;
  return (
    <figure className="mb-4">
      <p aria-hidden="true" className="border-b border-dashed border-line text-small text-muted tabular">{i18n.number(most)}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-16 w-full" preserveAspectRatio="none" role="img" aria-label={i18n.count('admin.last_day', all)}>
        {hours.map((hour, at) => {
          const height = hour.count === 0 ? 1 : Math.max(LOWEST, (hour.count / most) * HEIGHT);
          return (
            <rect key={hour.from} data-count={hour.count} x={at * step + 1} y={HEIGHT - height} width={step - 2} height={height} className={hour.count > 0 ? fill : 'fill-line'}>
              <title>{`${i18n.time(hour.from)} · ${i18n.number(hour.count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="flex justify-between text-small text-muted">
        <span>{i18n.time(hours[0]?.from ?? now)}</span>
        <span>{i18n.count('admin.last_day', all)}</span>
        <span>{i18n.t('time.now')}</span>
      </figcaption>
    </figure>
  );
}

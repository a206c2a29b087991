import { useWords } from '../words';
import { byHour, type Happened } from './hours';

const WIDTH = 480;
const HEIGHT = 64;

/** What happened once is seen, however tall the bar beside it is. */
const LOWEST = 3;

interface Props {
  happened: readonly Happened[];
  now: number;
  fill: string;
  /** How many a bar of the full height stands for; the same for all plots of a page. */
  most: number;
}

/** A day of it, hour by hour, as small bars. */
export function HourPlot({ happened, now, fill, most }: Props) {
  const words = useWords();
  const hours = byHour(happened, now);
  const all = hours.reduce((sum, hour) => sum + hour.count, 0);
  const step = WIDTH / hours.length;
  return (
    <figure className="mb-4">
      <p aria-hidden="true" className="border-b border-dashed border-line text-small text-muted tabular">{words.number(most)}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-16 w-full" preserveAspectRatio="none" role="img" aria-label={words.count('admin.last_day', all)}>
        {hours.map((hour, at) => {
          const height = hour.count === 0 ? 1 : Math.max(LOWEST, (hour.count / most) * HEIGHT);
          return (
            <rect key={hour.from} data-count={hour.count} x={at * step + 1} y={HEIGHT - height} width={step - 2} height={height} className={hour.count > 0 ? fill : 'fill-line'}>
              <title>{`${words.time(hour.from)} · ${words.number(hour.count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="flex justify-between text-small text-muted">
        <span>{words.time(hours[0]?.from ?? now)}</span>
        <span>{words.count('admin.last_day', all)}</span>
        <span>{words.t('time.now')}</span>
      </figcaption>
    </figure>
  );
}

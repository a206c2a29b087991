import { useWords } from '../words';
import { byHour, type Happened } from './hours';

const WIDTH = 480;
const HEIGHT = 64;

/** A day of it, hour by hour, as small bars. */
export function HourPlot({ happened, now, fill }: { happened: readonly Happened[]; now: number; fill: string }) {
  const words = useWords();
  const hours = byHour(happened, now);
  const most = Math.max(1, ...hours.map((hour) => hour.count));
  const all = hours.reduce((sum, hour) => sum + hour.count, 0);
  const step = WIDTH / hours.length;
  return (
    <figure className="mb-4">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-16 w-full" preserveAspectRatio="none" role="img" aria-label={words.count('admin.last_day', all)}>
        {hours.map((hour, at) => {
          const height = Math.max(1, (hour.count / most) * (HEIGHT - 2));
          return (
            <rect key={hour.from} x={at * step + 1} y={HEIGHT - height} width={step - 2} height={height} className={hour.count > 0 ? fill : 'fill-line'}>
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

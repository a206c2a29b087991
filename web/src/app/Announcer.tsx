import { useAnnouncements } from '../ui/announce';

/** What a screen reader hears: not tokens, but what is finished. */
export function Announcer() {
  const { polite, urgent } = useAnnouncements();
  return (
    <div className="sr-only">
      <div role="status" aria-live="polite">
        <p key={polite.count}>{polite.text}</p>
      </div>
      <div role="alert" aria-live="assertive">
        <p key={urgent.count}>{urgent.text}</p>
      </div>
    </div>
  );
}

import { useAnnouncements } from '../ui/announce';

/** The live regions for screen readers: finished blocks, not tokens. */
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

/** How much of something is used. The figures stand beside it: the bar is for the eye alone. */

export function Bar({ percent }: { percent: number }) {
  const shown = Math.min(100, Math.max(0, percent));
  return (
    <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="mt-1 h-1 w-full rounded-full">
      <rect width="100" height="4" className="fill-line" />
      <rect width={shown} height="4" className={colour(shown)} />
    </svg>
  );
}

function colour(percent: number): string {
  if (percent >= 100) return 'fill-critical';
  return percent >= 90 ? 'fill-warning' : 'fill-accent';
}
